"""The model file: what is written reads back the same, and everything else is refused with the entry that is wrong."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradcli.errors import FileError
from gradcli.nn import MLP
from gradcli.nn.model_file import Model, Scale, dump, read_model

NUMBER = st.floats(-1e299, 1e299)


def model(loss="hinge", classes=("-1", "1"), sizes=(3, 1), **more):
    weights = tuple(p.data for p in MLP(2, sizes, seed=0).parameters())
    made = Model((Scale("x", 0.5, 2.0), Scale("y")), Scale("label"), classes, loss, "relu", sizes, weights, {}, {})
    return made._replace(**more)


@given(
    weights=st.lists(NUMBER, min_size=13, max_size=13),
    mean=NUMBER,
    name=st.text(),
    classes=st.sets(st.text(), min_size=2, max_size=2),
)
def test_it_reads_back(weights, mean, name, classes):
    written = model(
        inputs=(Scale(name, mean, 1.5), Scale("y")),
        classes=tuple(sorted(classes)),
        weights=tuple(weights),
        training={"lr": name},
        resume={"step": 7, "weights": weights, "state": [weights, weights]},
    )
    assert read_model(dump(written), "m.json") == written


def test_a_model_of_numbers_keeps_the_scale_of_its_target():
    written = model("mse", (), target=Scale("y", 10.0, 3.0))
    assert json.loads(dump(written))["target"] == {"name": "y", "mean": 10.0, "spread": 3.0}
    assert read_model(dump(written), "m.json") == written


def test_a_person_can_read_it():
    lines = dump(model()).splitlines()
    assert lines[1] == ' "version": 1,'
    assert '  {"name": "x", "mean": 0.5, "spread": 2.0},' in lines
    assert sum(line.strip().startswith('{"w": [') for line in lines) == 4
    assert len(lines) < 40


def changed(*path, to):
    content = json.loads(dump(model()))
    at = content
    for key in path[:-1]:
        at = at[key]
    if to is None:
        del at[path[-1]]
    else:
        at[path[-1]] = to
    return json.dumps(content)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("[1, 2]", 'no "version"'),
        ("{" * 3, "not JSON"),
        ("[" * 100_000, "nested too deeply"),
        (changed("version", to=2), "of version 2, and this program reads 1"),
        (changed("version", to=True), "of version True"),
        (changed("inputs", to=[]), '"inputs" is empty'),
        (changed("inputs", to={}), '"inputs" is missing or of the wrong kind'),
        (changed("inputs", 0, to=3), '"name" has no place'),
        (changed("inputs", 0, "spread", to=0), "not above 0"),
        (changed("inputs", 0, "mean", to="a"), '"mean"'),
        (changed("inputs", 0, "mean", to=10**400), '"mean" is not a finite number'),
        (changed("target", to=None), '"target"'),
        (changed("target", "classes", to=["a"]), "do not go with hinge"),
        (changed("target", "classes", to=["a", "a"]), "do not go with hinge"),
        (changed("target", "classes", to=["a", 1]), "are texts"),
        (changed("target", "classes", to=["a", "b", "c"]), "tells two classes apart"),
        (changed("loss", to="\x1b[31m"), '"loss" is \\x1b[31m'),
        (changed("loss", to="mse"), "do not go with mse"),
        (changed("loss", to="softmax"), "1 neurons in place of 2"),
        (changed("layers", to=[]), '"layers" is empty'),
        (changed("layers", 0, "neurons", to=[]), 'no "neurons"'),
        (changed("layers", 0, "activation", to="atan2"), "not an activation"),
        (changed("layers", 1, "activation", to="relu"), "linear in the last layer"),
        (changed("layers", 0, "neurons", 1, "w", to=[1.0]), "layer 1 has 1 weights, not 2"),
        (changed("layers", 0, "neurons", 1, "w", to=[1.0, "x"]), '"w" is not a list of finite numbers'),
        (changed("layers", 0, "neurons", 1, "w", to=[1.0, True]), '"w" is not a list'),
        (changed("layers", 0, "neurons", 1, "b", to=None), '"b" is missing'),
        (changed("layers", 0, "neurons", 1, "b", to=1e301), "not a finite number"),
        (changed("resume", to={"step": 1, "weights": [1.0], "state": []}), "not of 13 numbers"),
        (changed("resume", to={"step": -1, "weights": [1.0] * 13, "state": []}), "step"),
        (changed("resume", to={"step": 1, "weights": None, "state": []}), '"weights" is not a list'),
        (dump(model()).replace('"b": 0.0', '"b": NaN'), "NaN"),
        (dump(model()).replace('"b": 0.0', '"b": 1e999'), "not a finite number"),
    ],
)
def test_what_is_wrong_is_named(text, message):
    with pytest.raises(FileError) as caught:
        read_model(text, "m.json")
    assert message in caught.value.message and caught.value.message.startswith("m.json ")
