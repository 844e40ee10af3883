"""The `gradcli` command: a group whose commands are loaded when they are called.

`main` is the one place where errors become messages and exit codes; commands contain no `try`.
"""

from __future__ import annotations

import errno
import os
import sys
from importlib import import_module
from typing import Any

import click

from gradcli.errors import GradcliError
from gradcli.render.style import BRICK
from gradcli.text import did_you_mean, escape

from .output import say

COMMANDS = {
    "eval": "value and partial derivatives of an expression at a point",
    "diff": "the partial derivatives as formulas",
    "check": "is the gradient right? Reverse mode against independent methods",
    "graph": "the computation graph: a drawing, DOT, Mermaid, or a page to step through",
    "explain": "the paths that a gradient came by, and what a wrong engine would compute",
    "map": "value and partial derivatives for every row of CSV, TSV, JSON Lines or Parquet",
    "train": "a neural network from a table",
    "predict": "what a trained network says of every row of a table",
    "plot": "a curve and its derivative, or contours and the gradient",
    "minimize": "a local minimum, by the descent that you pick",
    "fit": "least squares on exact derivatives",
    "functions": "what may be typed, with the derivative of each function",
    "completion": "the completion script for bash, zsh or fish",
    "help": "the manual: topics, commands, man pages",
}


class Group(click.Group):
    """Commands by name, each in a module of its own; listing them loads none."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f".commands.{name}", __package__).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS:
            hint = did_you_mean(args[0], COMMANDS) or "the commands are " + ", ".join(COMMANDS)
            raise click.UsageError(f"no command {args[0]!r}\nhint: {hint}")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[click.shell_completion.CompletionItem]:
        """The commands with what they are for; Click would load each of them to show the start of its help."""
        from click.shell_completion import CompletionItem

        items = [CompletionItem(name, help=text) for name, text in COMMANDS.items() if name.startswith(incomplete)]
        return items + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked and not ctx.resilient_parsing:
        from gradcli import __version__

        click.echo(f"gradcli {__version__}")
        ctx.exit()


EXAMPLES = """\b
$ gradcli eval "(a+b)*(a*b)" a=3 b=4 --format plain
=	84	1
a	3	40
b	4	33

\b
$ gradcli eval "sin(x)^2" x=pi/4 --grad x
1
"""


@click.group(
    cls=Group,
    name="gradcli",
    help=f"{EXAMPLES}\nFormulas and their exact derivatives, from the command line.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version and exit."
)
def command() -> None:
    pass


def main(args: list[str] | None = None) -> int:
    """Run the command with `args`, by default those of the process, and return its exit code."""
    if sys.stderr is None:  # closed by the process that started this one
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        _complain("cannot write: standard output is closed")
        return 1
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # an odd encoding shows an escape, not a traceback
    try:
        if "_GRADCLI_COMPLETE" in os.environ:
            return _complete_word(os.environ["_GRADCLI_COMPLETE"])
        code = _run(sys.argv[1:] if args is None else args)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # the reader has enough; point stdout elsewhere, or Python complains when it flushes at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as problem:
        if problem.errno == errno.EINVAL and sys.platform == "win32":
            return 0  # a closed pipe, as Windows says it
        _complain(f"cannot write: {problem.strerror}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _complete_word(instruction: str) -> int:
    """Answer the completion script of a shell: `instruction` is bash_complete and the like."""
    from .commands.completion import SHELLS

    shell, _, action = instruction.partition("_")
    if shell not in SHELLS or action != "complete":
        return 1
    click.echo(SHELLS[shell](command, {}, "gradcli", "_GRADCLI_COMPLETE").complete())
    sys.stdout.flush()
    return 0


def _run(args: list[str]) -> int:
    try:
        with command.make_context(
            "gradcli", args
        ) as context:  # not command.main, which handles a closed pipe in its own way
            command.invoke(context)
        return 0
    except click.exceptions.Exit as done:
        return done.exit_code
    except GradcliError as problem:
        _complain(str(problem))
        return problem.exit_code
    except click.exceptions.NoArgsIsHelpError as problem:
        click.echo(problem.ctx.get_help() if problem.ctx else problem.message, err=True)
        return 2
    except click.ClickException as problem:
        _complain(problem.format_message())
        return 2
    except click.Abort:
        return 130
    except (OSError, KeyboardInterrupt):
        raise
    except Exception as problem:
        if os.environ.get("GRADCLI_DEBUG") == "1":
            raise
        _complain(
            f"internal error: {type(problem).__name__}: {problem}\nhint: GRADCLI_DEBUG=1 shows where; please report it"
        )
        return 1


def _complain(message: str) -> None:
    say("error: " + "\n".join(escape(line) for line in message.split("\n")), BRICK)


def entry() -> Any:
    """The console script."""
    sys.exit(main())
