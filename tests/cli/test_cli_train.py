"""gradcli train: arguments, formats, exit codes."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest
from helpers import EXAMPLES, MOONS, TABLES, posix

from gradcli.nn.model_file import read_model

np = pytest.importorskip("numpy")
XOR = str(EXAMPLES / "xor.csv")


def test_going_on_keeps_what_was_better(run, tmp_path):
    data, path = tmp_path / "t.csv", tmp_path / "m.json"
    data.write_text(TABLES["mse"][0])
    args = ("train", str(data), "--hidden", "3", "-q", "-o", str(path))
    run(*args, "--target", "y", "--steps", "50", "--lr", "0.05")
    before = read_model(path.read_text(), "m")
    worse = run(*args, "--resume", "--steps", "52", "--lr", "9")
    after = read_model(path.read_text(), "m")
    assert worse.code == 0 and after.weights == before.weights and after.resume["step"] == 52
    assert figures(worse.stdout)["step"] == before.training["step"]


def figures(text):
    return {name: float(value) for name, value in (line.split("\t") for line in text.splitlines())}


def test_moons(run, tmp_path):
    model = str(tmp_path / "m.json")
    done = run(
        "train",
        MOONS,
        "--target",
        "label",
        "--hidden",
        "16,16",
        "--loss",
        "hinge",
        "--l2",
        "1e-4",
        "--steps",
        "100",
        "-o",
        model,
    )
    assert done.code == 0
    found = figures(done.stdout)
    assert list(found) == ["loss", "accuracy", "step", "steps", "parameters"]
    assert (found["accuracy"], found["parameters"], found["steps"]) == (1, 337, 100)
    assert "step 100/100  loss " in done.stderr and "accuracy 100.0 %" in done.stderr and "steps/s" in done.stderr
    made = read_model(Path(model).read_text(), model)
    assert (made.classes, made.loss, made.sizes) == (("-1", "1"), "hinge", (16, 16, 1))
    predicted = run("predict", model, MOONS).stdout.splitlines()
    assert all(line.split(",")[2] == line.split(",")[3] for line in predicted[1:]) and len(predicted) == 101


def test_the_seed_makes_it_the_same(run):
    args = ("train", XOR, "--target", "out", "--hidden", "3", "--steps", "5", "-q")
    one, two, other = run(*args), run(*args, "--seed", "0"), run(*args, "--seed", "9")
    assert one.stdout == two.stdout != other.stdout
    assert one.stderr == "the network is not kept: -o MODEL writes it\n"


def test_json_and_validation(run):
    done = run("train", MOONS, "--target", "label", "--hidden", "3", "--steps", "4", "--validate", "0.2", "--json")
    found = json.loads(done.stdout)
    assert list(found) == [
        "version",
        "ended",
        "loss",
        "accuracy",
        "validation_loss",
        "validation_accuracy",
        "step",
        "steps",
        "parameters",
    ]
    assert (found["version"], found["ended"]) == (1, "done") and "held back" in done.stderr


def test_the_curve(run):
    done = run(
        "train",
        XOR,
        "--target",
        "out",
        "--hidden",
        "3",
        "--steps",
        "20",
        "--format",
        "pretty",
        "-q",
        env={"COLUMNS": "60"},
    )
    assert "best, at step 20" in done.stdout and "\x1b" not in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 60
    assert sum(any(0x2800 < ord(c) < 0x2900 for c in line) for line in done.stdout.splitlines()) > 5


def test_resume(run, tmp_path):
    model, other = str(tmp_path / "m.json"), str(tmp_path / "n.json")
    args = ("train", XOR, "--target", "out", "--hidden", "4", "--lr", "0.05", "--batch", "3", "-q")
    run(*args, "--steps", "40", "-o", model)
    half = run(*args, "--steps", "20", "-o", other)
    went_on = run("train", XOR, "--resume", "--steps", "40", "-q", "-o", other)
    assert half.code == went_on.code == 0
    assert json.loads(Path(other).read_text())["resume"] == json.loads(Path(model).read_text())["resume"]
    again = run("train", XOR, "--resume", "-o", other)
    assert again.code == 2 and "has done its 40 steps" in again.stderr and "--steps 80" in again.stderr
    assert "--hidden is not what" in run("train", XOR, "--resume", "--hidden", "5", "--steps", "80", "-o", other).stderr


def test_words_and_numbers_are_labels_where_the_loss_says_so(quick, tmp_path):
    (tmp_path / "t.csv").write_text("a,y\n1,2\n2,3a\n3,inf\n")
    done = quick("train", "t.csv", "--target", "y", "--loss", "softmax", "--steps", "2", "-q", cwd=tmp_path)
    assert done.code == 0


@pytest.mark.parametrize("name", ["t.csv.gz", "t.tsv", "t.jsonl", "t.parquet"])
def test_every_format_that_map_reads(quick, tmp_path, name):
    (tmp_path / "t.csv").write_text(TABLES["softmax"][0].replace("top", '"top, left"'))
    quick("map", "a + b", "t.csv", "-o", "t.jsonl", cwd=tmp_path)  # in which cells are numbers
    quick("map", "a + b", "t.jsonl", "--prefix", "g_", "-o", name, cwd=tmp_path)
    args = ("--target", "where", "--inputs", "a,b", "--hidden", "2", "--steps", "3", "-q")
    plain = quick("train", "t.csv", *args, cwd=tmp_path)
    assert plain.code == 0 and quick("train", name, *args, cwd=tmp_path) == plain


@posix
def test_ctrl_c_keeps_the_best(gradcli, clean, run, tmp_path):
    model = tmp_path / "m.json"
    process = subprocess.Popen(
        [gradcli, "train", XOR, "--target", "out", "--hidden", "4", "--steps", "1000000", "-o", str(model)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=clean,
    )  # fmt: skip
    assert process.stderr.readline().startswith("step 0/1000000")
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted after step" in err and "has the best network so far" in err and "Traceback" not in err
    found = figures(out)
    assert 0 < found["steps"] < 1_000_000
    assert read_model(model.read_text(), "m").resume["step"] == found["steps"]
    assert run("predict", str(model), XOR).code == 0


def test_a_descent_that_diverges(run, tmp_path):
    data, model = tmp_path / "t.csv", tmp_path / "m.json"
    data.write_text(TABLES["mse"][0])
    done = run("train", str(data), "--target", "y", "--optimizer", "sgd", "--lr", "100", "-o", str(model))
    assert done.code == 1 and "the loss is not a number after step" in done.stderr and "smaller --lr" in done.stderr
    assert read_model(model.read_text(), "m")


@pytest.mark.parametrize(
    ("text", "args", "code", "parts"),
    [
        ("a,y\n1,2\n2,3\n", [], 2, ["which column", "--target NAME"]),
        ("a,y\n1,2\n2,3\n", ["--target", "z"], 2, ["no column z"]),
        ("a,y\n1,2\n2,3\n", ["--target", "y", "--inputs", "b"], 2, ["no column b"]),
        ("a,y\n1,2\n2,3\n", ["--target", "y", "--inputs", "a,y"], 2, ["y is the target"]),
        ("y\n1\n2\n", ["--target", "y"], 2, ["there is no input"]),
        ("a,y\n", ["--target", "y"], 1, ["0 rows: too few"]),
        ("a,y\n1,2\nx,3\n", ["--target", "y"], 1, ["t.csv:3: column a: 'x' is not a number"]),
        ("a,y\n1,2\n2,\n", ["--target", "y"], 1, ["t.csv:3: column y: the cell is empty"]),
        ("a,y\n1,2\n2\n", ["--target", "y"], 1, ["t.csv:3: 1 cell, where the header has 2"]),
        ("a,y\n1,2\n2,inf\n", ["--target", "y"], 1, ["t.csv:3: column y: inf is not a finite number"]),
        ("a,y\n1,2\n2,inf\n3,4\n", ["--target", "y"], 1, ["t.csv:3: column y: inf is not a finite number"]),
        ("a,y\n1,2\n2,-Infinity\n3,4\n", ["--target", "y", "--loss", "softmax"], 1, ["t.csv:3: column y: -Infinity is not"]),
        ("a,y\n1,2\n2,3\n3,abc\n", ["--target", "y"], 1, ["t.csv:4: column y: 'abc' is not a number", "--loss softmax"]),
        ("a,y\n1,u\n2,inf\n3,v\n", ["--target", "y"], 1, ["t.csv:2: column y: 'u' is not a number", "--loss softmax"]),
        ("a,y\n1,2\n2,1e999\n3,4\n", ["--target", "y"], 1, ["t.csv:3: column y: '1e999' is too large for binary64"]),
        ("a,y\ninf,2\n2,3\n3,4\n", ["--target", "y"], 1, ["t.csv:2: column a: inf is not a finite number"]),
        ("x y\tz,w\n1,2\n3,4\n", ["--target", "z"], 2, ["t.csv has no column z"]),
        ("a,y\n1,2\n2,2\n", ["--target", "y"], 1, ["column y: every row has the same label '2'"]),
        ("a,y\n1,u\n2,v\n3,w\n", ["--target", "y", "--loss", "hinge"], 2, ["two classes apart, and y has 3", "softmax"]),
        ("a,y\n1,u\n2,v\n3,w\n", ["--target", "y", "--loss", "mse"], 1, ["column y"]),
        ("a,y\n1,2\n2,3\n", ["--target", "y", "--hidden", "0"], 2, ["--hidden 16,16"]),
        ("a,y\n1,2\n2,3\n", ["--target", "y", "--hidden", "4,,4"], 2, ["--hidden 16,16"]),
        ("a,y\n1,2\n2,3\n", ["--target", "y", "--activation", "rleu"], 2, ["not an activation", "relu"]),
        ("a,y\n1,2\n2,3\n", ["--target", "y", "--lr", "0.1*q"], 2, ["--lr knows no q", "^"]),
        ("a,y\n1,2\n2,3\n", ["--target", "y", "--lr", "t-2"], 1, ["learning rate of step 0 is -2"]),
        ("a,y\n1,2\n2,3\n", ["--target", "y", "--l2", "-1"], 2, ["--l2"]),
        ("a,y\n1,2\n2,3\n", ["--target", "y", "--l2", "nan"], 2, ["--l2"]),
        ("a,y\n1,2\n2,3\n", ["--target", "y", "--validate", "1"], 2, ["--validate"]),
        ("a,y\n1,2\n2,3\n", ["--target", "y", "--validate", "0.1"], 2, ["leaves nothing"]),
        ("a,y\n1,2\n2,3\n", ["--target", "y", "--steps", "0"], 2, ["--steps"]),
        ("a,y\n1,2\n2,3\n", ["--target", "y", "-o", "/nonexistent/m.json"], 1, ["cannot write"]),
        ("a,y\n1,2\n2,3\n", ["--resume"], 2, ["-o MODEL"]),
        ("a,y\n1,2\n2,3\n", ["--resume", "-o", "/nonexistent/m.json"], 1, ["cannot read"]),
    ],
)  # fmt: skip
def test_mistakes(quick, tmp_path, text, args, code, parts):
    data = tmp_path / "t.csv"
    data.write_text(text)
    done = quick("train", str(data), *args)
    assert (done.code, done.stdout) == (code, ""), done
    assert done.stderr.startswith("error: ") and "internal" not in done.stderr
    for part in parts:
        assert part in done.stderr, done.stderr


def test_without_numpy(run, tmp_path):
    (tmp_path / "numpy.py").write_text("raise ImportError('not here')")
    for args in (("train", XOR, "--target", "out"), ("predict", str(EXAMPLES / "xor.json"), XOR)):
        done = run(*args, env={"PYTHONPATH": str(tmp_path)})
        assert (done.code, done.stdout) == (1, "") and "pip install 'gradcli[batch]'" in done.stderr, done
