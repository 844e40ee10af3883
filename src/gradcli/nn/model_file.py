"""A trained network as a file: JSON that a person can read, checked when it is loaded.

    {"version": 1,
     "inputs": [{"name": "x", "mean": 0.5, "spread": 0.87}, ...],
     "target": {"name": "label", "classes": ["-1", "1"]},
     "loss": "hinge",
     "layers": [{"activation": "relu", "neurons": [{"w": [0.1, -0.7], "b": 0.0}, ...]}, ...],
     "training": {"step": 100, "loss": 0.01, ...}}

An input goes into the first layer as (x - mean) / spread. With a number as target, "mean" and "spread" stand in
place of "classes", and turn the output back. "resume" holds what another run needs to go on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from gradcli.errors import FileError, UsageError
from gradcli.text import escape

from .losses import LOSSES
from .modules import MLP, load, row_of

VERSION = 1
LARGEST = 1e300  # of a number in the file


class Scale(NamedTuple):
    """A column, and how its numbers are brought near 0 and 1: (x - mean) / spread."""

    name: str
    mean: float = 0.0
    spread: float = 1.0


class Model(NamedTuple):
    """A network and what it means.

    classes   the labels it tells apart, "" where the target is a number
    sizes     neurons of each layer, the last one the outputs
    weights   in the order of MLP.parameters()
    training  how it was made, for people; resume: where to go on, or {}
    """

    inputs: tuple[Scale, ...]
    target: Scale
    classes: tuple[str, ...]
    loss: str
    activation: str
    sizes: tuple[int, ...]
    weights: tuple[float, ...]
    training: dict[str, Any]
    resume: dict[str, Any]

    def network(self) -> MLP:
        """The network with its weights, on Values."""
        made = MLP(len(self.inputs), self.sizes, self.activation, seed=0)
        load(made, self.weights)
        return made


# ------------------------------------------------------------------------------------------ writing


def dump(model: Model) -> str:
    """The text of the file: every number reads back as the same double."""
    import json

    target = {"name": model.target.name}
    more = {"classes": list(model.classes)} if model.classes else _numbers(model.target)
    content = {
        "version": VERSION,
        "inputs": [{"name": scale.name} | _numbers(scale) for scale in model.inputs],
        "target": target | more,
        "loss": model.loss,
        "layers": list(_layers(model)),
        "training": model.training,
    }
    content |= {"resume": model.resume} if model.resume else {}
    text = json.dumps(content, indent=1, allow_nan=False)
    for inside in ("[]{}", "{}"):  # the lists of numbers, then the objects that hold no other
        opening, closing, other = inside[::2], inside[1::2], re.escape(inside)
        text = re.sub(
            rf"[{re.escape(opening)}]\n[^{other}\n]*(?:\n[^{other}\n]*)*[{re.escape(closing)}]", _on_one_line, text
        )
    return text + "\n"


def _on_one_line(match: re.Match[str]) -> str:
    """A list or an object without others in it; a text has no line breaks in JSON, so that none is touched."""
    opening, *inner, closing = [line.strip() for line in match[0].split("\n")]
    return opening + " ".join(inner) + closing


def _numbers(scale: Scale) -> dict[str, Any]:
    return {"mean": scale.mean, "spread": scale.spread}


def _layers(model: Model) -> Iterator[dict[str, Any]]:
    for layer in model.network().layers:
        neurons = [{"w": [w.data for w in neuron.w], "b": neuron.b.data} for neuron in layer.neurons]  # type: ignore[union-attr]
        yield {"activation": layer.activation, "neurons": neurons}  # type: ignore[union-attr]


# ------------------------------------------------------------------------------------------ reading


def read_model(text: str, name: str) -> Model:
    """The model in a text; `name` is what messages call the file.

    Raises FileError for a text that is not such a file, with the entry that is wrong.
    """
    import json

    try:
        content = json.loads(text, parse_constant=_refuse)
    except RecursionError:
        raise FileError(f"{name} is not a model: it is nested too deeply") from None
    except ValueError as problem:
        raise FileError(f"{name} is not a model: it is not JSON ({problem})") from None
    return _Reader(name).model(content)


def _refuse(word: str) -> float:
    raise ValueError(f"{word} is not a number of JSON")


class _Reader:
    """The checks, each with the entry that it is about."""

    def __init__(self, name: str) -> None:
        self.name = name

    def need(self, condition: object, what: str) -> None:
        if not condition:
            raise FileError(
                f"{self.name} is not a model: {what}", hint="gradcli train FILE --target NAME -o MODEL makes one"
            )

    def model(self, content: Any) -> Model:
        self.need(isinstance(content, dict) and "version" in content, 'there is no "version"')
        version = content["version"]
        if version != VERSION or isinstance(version, bool):
            raise FileError(f"{self.name} is of version {escape(repr(version))}, and this program reads {VERSION}")
        inputs = tuple([self.scale(entry, "inputs") for entry in self.entry(content, "inputs", list)])
        self.need(inputs, '"inputs" is empty')
        target = self.entry(content, "target", dict)
        classes = tuple(self.entry(target, "classes", list)) if "classes" in target else ()
        self.need(all(isinstance(label, str) for label in classes), '"classes" are texts')
        loss = self.entry(content, "loss", str)
        self.need(loss in LOSSES, f'"loss" is {escape(loss[:40])}, and there are {", ".join(LOSSES)}')
        layers = self.entry(content, "layers", list)
        sizes, weights, activation = self.network(layers, len(inputs))
        outputs = len(classes) if LOSSES[loss].many else 1
        self.need(sizes[-1] == outputs, f"the last layer has {sizes[-1]} neurons in place of {outputs}")
        self.need((len(set(classes)) >= 2 if LOSSES[loss].right else not classes), f'"classes" do not go with {loss}')
        self.need(len(classes) == 2 or loss not in ("hinge", "logistic"), f"{loss} tells two classes apart")
        training = self.entry(content, "training", dict) if "training" in content else {}
        resume = self.resume(content, len(weights)) if "resume" in content else {}
        scale = self.scale({"mean": 0.0, "spread": 1.0} | target, "target")
        return Model(inputs, scale, classes, loss, activation, sizes, weights, training, resume)

    def entry(self, content: Any, key: str, kind: type) -> Any:
        self.need(isinstance(content, dict), f'"{key}" has no place to be')
        self.need(isinstance(content.get(key), kind), f'"{key}" is missing or of the wrong kind')
        return content[key]

    def number(self, content: Any, key: str) -> float:
        value = self.entry(content, key, int | float)  # type: ignore[arg-type]
        self.need(not isinstance(value, bool) and abs(value) < LARGEST, f'"{key}" is not a finite number')
        return float(value)

    def scale(self, content: Any, what: str) -> Scale:
        scale = Scale(self.entry(content, "name", str), self.number(content, "mean"), self.number(content, "spread"))
        self.need(scale.spread > 0, f'"spread" in "{what}" is not above 0')
        return scale

    def network(self, layers: Sequence[Any], inputs: int) -> tuple[tuple[int, ...], tuple[float, ...], str]:
        self.need(layers, '"layers" is empty')
        weights: list[float] = []
        sizes: list[int] = []
        for layer in layers:
            neurons = self.entry(layer, "neurons", list)
            self.need(neurons, 'a layer has no "neurons"')
            for neuron in neurons:
                row = self.entry(neuron, "w", list)
                self.need(
                    len(row) == inputs, f"a neuron of layer {len(sizes) + 1} has {len(row)} weights, not {inputs}"
                )
                weights += self.vector(row, "w")
                weights.append(self.number(neuron, "b"))
            inputs = len(neurons)
            sizes.append(inputs)
        kinds = [self.entry(layer, "activation", str) for layer in layers]
        self.need(
            kinds[-1] == "linear" and len(set(kinds[:-1])) <= 1, '"activation" is one, and linear in the last layer'
        )
        return tuple(sizes), tuple(weights), self.activation(kinds[0])

    def vector(self, numbers: Any, key: str) -> list[float]:
        ok = isinstance(numbers, list) and all(isinstance(n, int | float) and not isinstance(n, bool) for n in numbers)
        self.need(ok and all(abs(n) < LARGEST for n in numbers), f'"{key}" is not a list of finite numbers')
        return [float(n) for n in numbers]

    def resume(self, content: Any, count: int) -> dict[str, Any]:
        resume = self.entry(content, "resume", dict)
        step = self.entry(resume, "step", int)
        self.need(step >= 0, '"step" in "resume" is below 0')
        vectors = [self.vector(vector, "state") for vector in self.entry(resume, "state", list)]
        vectors.append(self.vector(resume.get("weights"), "weights"))
        self.need(
            all(len(vector) == count for vector in vectors), f'"resume" has vectors that are not of {count} numbers'
        )
        return {"step": step, "weights": vectors[-1], "state": vectors[:-1]}

    def activation(self, name: str) -> str:
        try:
            row_of(name)
        except UsageError as problem:
            self.need(False, escape(problem.message))
        return name
