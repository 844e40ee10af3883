"""gradcli train: a neural network from a table."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from gradcli.errors import FileError, UsageError
from gradcli.extras import load
from gradcli.language.source import read_file
from gradcli.nn.losses import LOSSES
from gradcli.nn.model_file import Model, dump, read_model
from gradcli.nn.optimizers import Options, choose, schedule
from gradcli.optimize.updates import UPDATES
from gradcli.render.training import TrainingView, next_report, progress

from ..arguments import Command
from ..options import names, option_color, option_format, option_output
from ..output import place, write, write_content

if TYPE_CHECKING:
    from gradcli.nn.features import Shape
    from gradcli.nn.learner import Learner
    from gradcli.nn.train import Outcome, Point

HELP = """\b
$ gradcli train tests/examples/xor.csv --target out --hidden 4 --activation tanh --seed 1
(the loss, the accuracy and where the best was, tab-separated)

\b
$ gradcli train moons.csv --target label --hidden 16,16 --loss hinge -o model.json
(writes the network that was best; gradcli predict model.json FILE uses it)

Train a neural network to tell the column NAME of a table from the others.

FILE is comma or tab separated, with a header; `-` reads standard input. Without --loss a target of two values takes
logistic, one of several words softmax, and numbers mse. Inputs, and a target of numbers, are brought to mean 0 and
spread 1 (the model keeps the scale). Ctrl-C ends the training early and keeps the best network so far; --resume
goes on from what -o FILE holds, as if it had not been interrupted.
"""


def _sizes(_: click.Context, __: click.Parameter, value: str | None) -> tuple[int, ...] | None:
    if value is None:
        return None
    parts = [part.strip() for part in value.split(",")] if value.strip() else []
    if not all(part.isascii() and part.isdigit() and 0 < int(part[:9]) <= 4096 for part in parts):
        raise click.BadParameter("give numbers of neurons with commas between them, as in --hidden 16,16")
    return tuple(map(int, parts))


def _l2(_: click.Context, __: click.Parameter, value: float | None) -> float | None:
    if value is not None and not 0 <= value < 1e6:
        raise click.BadParameter("give a number from 0 up")
    return value


@click.command(cls=Command, name="train", help=HELP)
@click.argument("file", metavar="FILE")
@click.option("--target", metavar="NAME", help="The column to learn.")
@click.option("--inputs", metavar="A,B", callback=names, help="The columns to learn from; default: all others.")
@click.option("--hidden", metavar="N,M", callback=_sizes, help="Neurons in each hidden layer; default 16,16.")
@click.option("--activation", metavar="NAME", help="Of the hidden layers: relu (the default), tanh, any of one number.")
@click.option("--loss", type=click.Choice(list(LOSSES)), help="What to make small.")
@click.option("--l2", type=float, callback=_l2, metavar="X", help="Add X times the sum of the squared weights.")
@click.option("--optimizer", type=click.Choice(list(UPDATES)), help="How a gradient becomes a step; default adam.")
@click.option("--lr", metavar="EXPR", help="Learning rate: 0.02, or with t from 0 to 1 as in '1 - 0.9t'.")
@click.option("--steps", type=click.IntRange(1), metavar="N", help="Steps in all; default 200.")
@click.option("--batch", type=click.IntRange(1), metavar="N", help="Rows for each step; default: all.")
@click.option("--seed", type=click.IntRange(0), metavar="N", help="Of the first weights and every draw; default 0.")
@click.option(
    "--validate",
    type=click.FloatRange(0, 1, max_open=True),
    metavar="X",
    help="Hold back this share of the rows as a check.",
)
@click.option("--raw", is_flag=True, help="Do not bring the columns to mean 0 and spread 1.")
@option_output("Write the model to FILE.")
@click.option("--resume", is_flag=True, help="Go on from the model in the file that -o names.")
@click.option("-q", "--quiet", is_flag=True, help="No progress on standard error.")
@option_format(TrainingView)
@option_color()
def command(file: str, output: str | None, resume: bool, quiet: bool, form: str | None, **given: Any) -> None:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # for such small matrices threads only wait for each other
    where = place(None, form, TrainingView)
    before = _resumed(output, given) if resume else None
    if before is None and given["target"] is None:
        raise UsageError("which column is to be learned?", hint="name it: --target NAME")
    _can_write(output)
    options = choose(given, before.training if before else {}, output or "")
    schedule(options)  # says what is wrong with it before the work begins
    load("numpy", "batch", "a network needs NumPy, which is not installed")
    from gradcli.files.columns import read_sheet
    from gradcli.nn.features import columns_of, new_model
    from gradcli.nn.learner import Learner, split
    from gradcli.nn.train import best_of, check_steps_left, descend, figures, follow

    sheet = read_sheet(file)
    model = before or new_model(sheet, given["target"], given["inputs"], _shape(given))
    if before is not None:
        check_steps_left(before, options, output or "")
    columns, held = split(columns_of(model, sheet), options.validate, options.seed)
    learner = Learner(model, columns, batch=options.batch)
    check = (lambda point: learner.loss(point.weights, held)) if held else None
    tell = _silent if quiet else _progress(learner, held, options.steps)
    points = descend(learner, model.weights, options, model.resume)
    outcome = follow(points, check, tell, best_of(learner, model, options))
    if not quiet and sys.stderr.isatty() and outcome.ended != "done":
        print(file=sys.stderr)  # ends the line of the progress
    facts = figures(outcome, learner, held)
    _keep(model, outcome, facts, options, output)
    write(TrainingView(outcome, facts), where)
    _end(outcome, output)


def _shape(given: dict[str, Any]) -> Shape:
    from gradcli.nn.features import Shape

    chosen = {name: given[name] for name in ("hidden", "activation", "loss", "seed") if given[name] is not None}
    return Shape(**chosen, standardize=not given["raw"])


def _resumed(output: str | None, given: dict[str, Any]) -> Model:
    if output is None:
        raise UsageError("--resume goes on from the model in the file that -o names", hint="add -o MODEL")
    fixed = [name for name in ("target", "inputs", "hidden", "activation", "loss") if given[name] is not None]
    model = read_model(read_file(output), output)
    if not model.resume:
        raise UsageError(f"{output} does not hold where to go on")
    same = {
        "target": model.target.name,
        "inputs": [one.name for one in model.inputs],
        "hidden": model.sizes[:-1],
        "activation": model.activation,
        "loss": model.loss,
    }
    for name in fixed:
        if given[name] != same[name]:
            raise UsageError(
                f"--{name} is not what {output} was made with", hint="leave it away, or train anew without --resume"
            )
    return model


def _can_write(output: str | None) -> None:
    """Find out before the work, not after it."""
    folder = os.path.dirname(os.path.realpath(output)) if output else ""
    if output and (os.path.isdir(output) or not os.access(folder, os.W_OK)):
        raise FileError(f"cannot write {output}: {_why_not(output, folder)}")


def _why_not(output: str, folder: str) -> str:
    if os.path.isdir(output):
        return "it is a directory"
    return "nobody may write into its folder" if os.path.isdir(folder) else "no such folder"


# ---------------------------------------------------------------------------------------- what is said


def _silent(point: Point, held: float | None) -> None:
    pass


def _progress(learner: Learner, held: Any, steps: int) -> Callable[[Point, float | None], None]:
    """Tell of the descent on standard error: on a terminal in one line that changes, else in a few lines."""
    live = sys.stderr.isatty()
    start = shown = time.monotonic()
    first: int | None = None
    due = 0

    def tell(point: Point, measure: float | None) -> None:
        nonlocal shown, due, first
        now = time.monotonic()
        first = point.step if first is None else first
        if not (point.step >= steps or (now - shown > 0.1 if live else point.step >= due)):
            return
        shown, due = now, next_report(point.step, steps)
        text = progress(point, steps, learner.accuracy(point.weights), measure, point.step - first, now - start)
        end = "\n" if not live or point.step >= steps else ""
        print(("\r\x1b[K" if live else "") + text, end=end, file=sys.stderr, flush=True)

    return tell


def _keep(model: Model, outcome: Outcome, facts: dict[str, float], options: Options, output: str | None) -> None:
    if output is None:
        return
    last = outcome.last
    resume = {"step": last.step, "weights": last.weights.tolist(), "state": [vector.tolist() for vector in last.state]}
    training = facts | options._asdict()
    made = model._replace(weights=tuple(outcome.best.weights.tolist()), training=training, resume=resume)
    write_content(dump(made), output)


def _end(outcome: Outcome, output: str | None) -> None:
    saved = f"; {output} has the best network so far" if output else ""
    if output is None:
        print("the network is not kept: -o MODEL writes it", file=sys.stderr)
    if outcome.ended == "interrupted":
        print(f"interrupted after step {outcome.last.step}{saved}", file=sys.stderr)
        raise click.exceptions.Exit(130)
    if outcome.ended == "diverged":
        raise FileError(
            f"the loss is not a number after step {outcome.last.step}{saved}", hint="a smaller --lr may help"
        )
