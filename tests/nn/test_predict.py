"""Predictions: appended to rows that stay as they were, and drawn as a picture of the plane."""

import pytest
from helpers import sheet

from gradcli.files.columns import rows_of
from gradcli.nn.losses import LOSSES
from gradcli.nn.model_file import Model, Scale
from gradcli.nn.predict import decide, new_columns, outputs, predict, regions

np = pytest.importorskip("numpy")


def straight(loss, classes=("no", "yes"), weights=(2.0, -1.0, 0.5), target=None):
    """A network of no hidden layer, with known weights: 2x - y + 0.5."""
    sizes = (len(classes) if LOSSES[loss].many else 1,)
    inputs = (Scale("x", 1.0, 2.0), Scale("y"))
    return Model(inputs, target or Scale("label"), classes, loss, "linear", sizes, weights, {}, {})


def said(model, text):
    """The new columns for the rows of a text."""
    results = predict(model, rows_of(sheet(text), [column.name for column in model.inputs]))
    return {name: column.tolist() for name, column in zip(new_columns(model), results.columns, strict=True)}


def test_the_scale_goes_before_the_network_and_after_it():
    assert said(straight("mse", (), target=Scale("z", 10.0, 4.0)), "y,x\n1,3\n") == {"prediction": [16.0]}


@pytest.mark.parametrize(
    ("loss", "name", "expected"), [("hinge", "score", 1.5), ("logistic", "probability", 1 / (1 + np.exp(-1.5)))]
)
def test_two_classes(loss, name, expected):
    found = said(straight(loss), "x,y\n3,1\n-9,1\n")
    assert list(found) == ["prediction", name] and found["prediction"] == ["yes", "no"]
    assert found[name][0] == pytest.approx(expected, rel=1e-15)


def test_probabilities_of_many_classes():
    model = straight("softmax", ("a", "b", "c"), (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0))
    found = said(model, "x,y\n3,0\n1,2000\n")
    assert list(found) == ["prediction", "p_a", "p_b", "p_c"] and found["prediction"] == ["a", "b"]
    assert found["p_a"][0] == pytest.approx(np.e / (np.e + 2)) and found["p_b"][1] == 1.0
    assert sum(found[name][0] for name in ("p_a", "p_b", "p_c")) == pytest.approx(1)


def test_a_probability_never_overflows():
    found = decide(straight("logistic"), [np.array([-1e3, 1e3])])
    assert found["probability"].tolist() == [0.0, 1.0]


def test_regions_follow_the_network():
    model = straight("hinge", weights=(2.0, 0.0, 0.0))  # decides by the sign of x - 1
    found = regions(model, sheet("x,y,label\n0,0,no\n2,1,yes\n3,1,no\n4,1,\n5,x,no\n"), 40, 10)
    left, right = found.limits[:2]
    for row in found.grid:
        assert row == [int(left + (right - left) * (i + 0.5) / 40 > 1) for i in range(40)]
    assert found.points == [(0, 0, 0, 0), (2, 1, 1, 1), (3, 1, 0, 1), (4, 1, -1, 1)]


def test_no_picture_of_three_inputs():
    from gradcli.errors import UsageError

    model = straight("hinge")._replace(inputs=(Scale("a"), Scale("b"), Scale("c")))
    with pytest.raises(UsageError, match="3 inputs"):
        regions(model, sheet("a,b,c\n"))
    with pytest.raises(UsageError, match="a number as target"):
        regions(straight("mse", ()), sheet("x,y\n"))


def test_outputs_are_those_of_the_network():
    model = straight("logistic")._replace(sizes=(3, 1), weights=tuple(i / 10 for i in range(13)), activation="tanh")
    (found,) = outputs(model, {"x1": np.array([0.5, 2.0]), "x2": np.array([1.0, -1.0])})
    network = model.network()
    assert found == pytest.approx([network([0.5, 1.0]).data, network([2.0, -1.0]).data], rel=1e-14)
