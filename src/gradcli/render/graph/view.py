"""The computation graph in every format in which it is drawn: the answer of `graph`."""

from __future__ import annotations

from typing import NamedTuple

from gradcli.errors import GradcliError
from gradcli.trace.trace import Trace

from ..view import Look

MOST_NODES = 1000  # of a graph that is laid out here


class GraphView(NamedTuple):
    """A graph from left to right (LR) or top to bottom (TB); without `rankdir` LR, and in a page what fits the window."""

    trace: Trace
    rankdir: str | None = None

    def dot(self, look: Look) -> str:
        from .dot import dot

        return dot(self.trace, self.rankdir or "LR", look.precision)

    def mermaid(self, look: Look) -> str:
        from .mermaid import mermaid

        return mermaid(self.trace, self.rankdir or "LR", look.precision)

    def svg(self, look: Look) -> str:
        from .svg import svg

        self._check_size("svg")
        return svg(self.trace, self.rankdir or "LR", look.precision)

    def png(self, look: Look) -> bytes:
        return self._figure("png", look)

    def pdf(self, look: Look) -> bytes:
        return self._figure("pdf", look)

    def _figure(self, form: str, look: Look) -> bytes:
        from .figure import figure

        self._check_size(form)
        return figure(self.trace, form, self.rankdir or "LR", look.precision)

    def html(self, look: Look) -> str:
        from .html import html

        self._check_size("html")
        return html(self.trace, self.rankdir, look.precision)

    def _check_size(self, form: str) -> None:
        """Raise GradcliError for a graph that is too large to be laid out."""
        nodes = len(self.trace.nodes)
        if nodes > MOST_NODES:
            raise GradcliError(
                f"the graph has {nodes} nodes, and {form} is drawn up to {MOST_NODES}",
                hint="Graphviz draws larger ones: gradcli graph ... -o graph.dot",
            )

    def note(self, form: str) -> str:
        """A warning about a drawing that not every program shows, or ""."""
        if form != "mermaid":
            return ""
        from .mermaid import MOST_EDGES, edges

        count = edges(self.trace)
        if count <= MOST_EDGES:
            return ""
        return f"note: {count} edges; Mermaid draws more than {MOST_EDGES} only where maxEdges is raised"
