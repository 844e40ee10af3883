"""Training: the numbers of the descent, and the command with its progress, its model file and its interrupts."""

import runpy
from pathlib import Path

import pytest
from helpers import EXAMPLES, MOONS, TABLES, sheet

from gradcli.errors import EvaluationError, GradcliError, UsageError
from gradcli.nn.features import Shape, columns_of, new_model
from gradcli.nn.learner import Learner, split
from gradcli.nn.losses import LOSSES
from gradcli.nn.optimizers import Options, schedule
from gradcli.nn.train import descend, follow
from gradcli.optimize.updates import UPDATES

np = pytest.importorskip("numpy")


def task(text, target, back_end="auto", **shape):
    table = sheet(text)
    model = new_model(table, target, shape=Shape(**shape))
    return model, Learner(model, columns_of(model, table), back_end=back_end)


def test_the_moons_are_what_their_formula_makes():
    made = runpy.run_path(str(EXAMPLES / "make_moons.py"))
    assert made["csv"]() == Path(MOONS).read_text()
    assert made["csv"](10, 2) != made["csv"](10, 3)


@pytest.mark.parametrize("back_end", ["layers", "numpy", "auto"])
@pytest.mark.parametrize("loss", LOSSES)
def test_loss_gradient_and_accuracy_are_those_of_the_values(loss, back_end):
    text, target = TABLES[loss]
    model, learner = task(text, target, back_end, hidden=(4, 3), activation="tanh", loss=loss)
    network, row = model.network(), LOSSES[loss]
    names = list(learner.columns)
    inputs, targets = [n for n in names if n[0] == "x"], [n for n in names if n[0] == "t"]
    total, right = [], []
    for i in range(learner.rows):
        found = network([learner.columns[name][i] for name in inputs])
        scores = found if isinstance(found, list) else [found]
        wanted = [float(learner.columns[name][i]) for name in targets]
        total.append(row.of(scores, wanted))
        right += [row.right(scores, wanted).data] if row.right else []
    mean = sum(total) / learner.rows
    mean.backward()
    value, gradient = learner.gradient(np.array(model.weights))
    assert value == pytest.approx(mean.data, rel=1e-13)
    assert learner.loss(np.array(model.weights)) == pytest.approx(mean.data, rel=1e-13)
    assert gradient == pytest.approx([p.grad for p in network.parameters()], rel=1e-10, abs=1e-13)
    assert learner.accuracy(np.array(model.weights)) == (pytest.approx(sum(right) / learner.rows) if right else None)


@pytest.mark.parametrize("activation", ["relu", "linear", "gelu", "abs", "elu"])
def test_layers_and_tape_are_the_same_with_every_activation(activation):
    text, target = TABLES["hinge"]
    model, layers = task(text, target, "layers", hidden=(5, 4), activation=activation, loss="hinge")
    _, tape = task(text, target, "numpy", hidden=(5, 4), activation=activation, loss="hinge")
    one, two = (learner.gradient(np.array(model.weights)) for learner in (layers, tape))
    assert one[0] == pytest.approx(two[0], rel=1e-14) and one[1] == pytest.approx(two[1], rel=1e-11, abs=1e-14)


@pytest.mark.parametrize("hidden", [(), (300, 300)])
def test_a_network_of_any_size(hidden):
    model, learner = task(*TABLES["softmax"], hidden=hidden, loss="softmax")
    *_, last = descend(learner, model.weights, Options(steps=60, lr="0.2*exp(-5t)"))
    assert learner.accuracy(last.weights) == 1.0


@pytest.mark.parametrize("loss", LOSSES)
def test_each_loss_is_learned(loss):
    text, target = TABLES[loss]
    model, learner = task(text, target, hidden=(8,), activation="tanh", loss=loss)
    *_, last = descend(learner, model.weights, Options(steps=150, lr="0.05"))
    assert last.loss < 0.1
    assert learner.accuracy(last.weights) in (1.0, None)


def test_the_l2_term_is_in_the_loss_and_in_the_gradient():
    model, learner = task(*TABLES["mse"], hidden=(3,))
    first, second, *_ = descend(learner, model.weights, Options("sgd", "0.1", 2, l2=0.5))
    w = np.array(model.weights)
    loss, gradient = learner.gradient(w)
    assert first.loss == pytest.approx(loss + 0.5 * float(w @ w), rel=1e-15)
    assert second.weights == pytest.approx(w - 0.1 * (gradient + w), rel=1e-14)


@pytest.mark.parametrize(
    ("lr", "rates"),
    [("0.5", [0.5, 0.5, 0.5]), ("1 - 0.9t", [1, 0.55, 0.1]), ("1/(1+step)", [1, 0.5, 1 / 3]), ("steps", [2, 2, 2])],
)
def test_the_rate_is_an_expression(lr, rates):
    rate = schedule(Options(lr=lr, steps=2))
    assert [rate(step) for step in range(3)] == pytest.approx(rates)


@pytest.mark.parametrize(("lr", "kind"), [("0.5*q", UsageError), ("1 +", UsageError), ("", UsageError)])
def test_a_rate_that_is_no_expression(lr, kind):
    with pytest.raises(kind) as caught:
        schedule(Options(lr=lr))
    assert caught.value.source.name == "--lr" and caught.value.span


@pytest.mark.parametrize("lr", ["-1", "log(-1)", "1/0"])
def test_a_rate_that_is_no_positive_number(lr):
    with pytest.raises(EvaluationError, match="learning rate of step 3"):
        schedule(Options(lr=lr))(3)


@pytest.mark.parametrize("optimizer", UPDATES)
@pytest.mark.parametrize("batch", [None, 7])
def test_going_on_is_as_if_it_had_not_stopped(optimizer, batch):
    model, learner = task(*TABLES["mse"], hidden=(3,))
    options = Options(optimizer, "0.05*(1-t)+0.001", 24, batch)
    whole = list(descend(learner, model.weights, options))
    middle = next(point for point in whole if point.step == 12)
    resume = {"step": 12, "weights": middle.weights.tolist(), "state": [v.tolist() for v in middle.state]}
    *_, again = descend(learner, model.weights, options, resume)
    assert again.weights.tolist() == whole[-1].weights.tolist()
    assert again.loss == whole[-1].loss


def test_a_batch_of_all_rows_is_no_batch_and_each_pass_sees_each_row_once():
    model, learner = task(*TABLES["mse"], hidden=(3,))
    one = [point.weights.tolist() for point in descend(learner, model.weights, Options(steps=5))]
    assert [p.weights.tolist() for p in descend(learner, model.weights, Options(steps=5, batch=12))] == one
    from gradcli.nn.train import _batch

    seen = [_batch(learner, Options(batch=5), step)["t1"].tolist() for step in range(3)]
    assert [len(rows) for rows in seen] == [5, 5, 2]
    assert sorted(number for rows in seen for number in rows) == sorted(learner.columns["t1"].tolist())


def test_rows_are_held_back():
    columns = {"x1": np.arange(10.0)}
    learned, held = split(columns, 0.3, 1)
    assert sorted([*learned["x1"], *held["x1"]]) == list(range(10)) and len(held["x1"]) == 3
    assert split(columns, 0, 1) == (columns, None)
    for share in (0.01, 0.99):
        with pytest.raises(UsageError, match="leaves nothing"):
            split(columns, share, 1)


def test_the_best_is_kept_and_a_loss_that_is_no_number_ends_it():
    model, learner = task(*TABLES["mse"], hidden=(3,))
    outcome = follow(descend(learner, model.weights, Options("sgd", "50*t^3", 60)), None, lambda *_: None)
    assert outcome.ended == "diverged"
    assert outcome.best.loss == min(loss for _, loss in outcome.losses) and outcome.best.step < outcome.last.step


def test_the_best_on_the_rows_held_back_is_kept():
    model, learner = task(*TABLES["mse"], hidden=(3,))
    outcome = follow(descend(learner, model.weights, Options(steps=20)), lambda p: abs(p.step - 7), lambda *_: None)
    assert (outcome.best.step, outcome.ended) == (7, "done")


def test_inputs_are_scaled_and_a_constant_column_is_no_trouble():
    text = "big,same,y\n" + "".join(f"{1e6 + i},5,{-1e4 * i}\n" for i in range(20))
    model, learner = task(text, "y", hidden=(4,))
    assert abs(learner.columns["x1"].mean()) < 1e-9 and learner.columns["x1"].std() == pytest.approx(1)
    assert not learner.columns["x2"].any()
    *_, last = descend(learner, model.weights, Options(steps=200, lr="0.05"))
    assert last.loss < 0.01


def test_options_in_a_model_file_are_checked():
    from gradcli.nn.optimizers import choose

    assert choose({"steps": 7}, {"steps": 3, "lr": "0.5", "step": 1}, "m") == Options(steps=7, lr="0.5")
    for kept in ({"steps": "7"}, {"optimizer": []}, {"l2": -1.0}, {"batch": True}, {"lr": 1}, {"validate": 1.0}):
        with pytest.raises(GradcliError, match="m is not a model"):
            choose({}, kept, "m")
