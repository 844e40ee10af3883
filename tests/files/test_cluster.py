"""Formulas over files on a Dask cluster on this machine, and in Spark where that is installed."""

import os
import signal
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gradcli import GradcliError
from gradcli.errors import FileError, Source, UsageError
from gradcli.files.arrow import map_in_arrow
from gradcli.files.cluster import run as run_on
from gradcli.files.map import Wanted

distributed = pytest.importorskip("distributed", reason="needs the extra dask")
pytestmark = pytest.mark.filterwarnings("ignore")  # of Dask and the event loop, not of ours


@pytest.fixture(scope="module")
def cluster():
    """A scheduler and two workers, each a process of its own."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs="CRITICAL"
    ) as local:
        yield local


def wanted(formula, **options):
    return Wanted(Source(formula), **options)


def parts(folder):
    return sorted(os.listdir(folder))


def read(folder):
    return pa.concat_tables([pq.read_table(folder / part) for part in parts(folder)])


def test_a_task_for_each_row_group_in_their_order(cluster, tmp_path):
    numbers = pa.table({"id": range(1000), "x": np.arange(1000) / 8})
    pq.write_table(numbers.slice(0, 700), tmp_path / "a.parquet", row_group_size=100)
    pq.write_table(numbers.slice(700), tmp_path / "b.parquet", row_group_size=100)
    paths = [str(tmp_path / "a.parquet"), str(tmp_path / "b.parquet")]
    out = tmp_path / "out"
    outcomes = list(run_on(wanted("r*x^2", bound={"r": 2.0}), paths, None, str(out), cluster.scheduler_address))
    assert [outcome.rows for outcome in outcomes] == [100] * 10
    assert parts(out) == [f"part-{i:05}.parquet" for i in range(10)]
    found = read(out)
    assert found.select(["id", "x"]).equals(numbers)
    assert found.column("value").to_numpy().tolist() == (2 * numbers["x"].to_numpy() ** 2).tolist()


def test_a_task_for_each_block_of_a_text_file(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr("gradcli.files.text_spans.SIZE", 2000)
    monkeypatch.setattr("gradcli.files.streams.PIECE", 500)
    lines = [f'{i:04},"two\nlines",{i}' for i in range(300)]
    lines[123] = "0123,bad,x"
    (tmp_path / "t.csv").write_text("id,note,x\n" + "\n".join(lines))  # without a last line end
    out = tmp_path / "out"
    outcomes = list(run_on(wanted("2*x"), [str(tmp_path / "t.csv")], None, str(out), cluster.scheduler_address))
    assert len(outcomes) > 2 and sum(outcome.rows for outcome in outcomes) == 300
    (reason,) = [one for outcome in outcomes for one in outcome.bad]
    assert reason == (f"{tmp_path / 't.csv'}:{2 + 2 * 123}", "x", "'x' is not a number")
    found = read(out).to_pylist()
    assert [row["id"] for row in found] == [f"{i:04}" for i in range(300)] and found[0]["note"] == "two\nlines"
    assert [row["value"] for row in found] == [None if i == 123 else 2.0 * i for i in range(300)]


@pytest.mark.parametrize("name", ["t.jsonl", "t.csv.gz"])
def test_other_text_files(cluster, tmp_path, name):
    data = b"x\n1\n2\n" if "csv" in name else b'{"x": 1}\n{"x": 2}\n'
    (tmp_path / name).write_bytes(pa.compress(data, "gzip", asbytes=True) if name.endswith("gz") else data)
    list(run_on(wanted("x^2"), [str(tmp_path / name)], None, str(tmp_path / "out"), cluster.scheduler_address))
    assert read(tmp_path / "out").column("value").to_pylist() == [1, 4]


def test_a_worker_that_dies_costs_neither_rows_nor_duplicates(cluster, tmp_path):
    numbers = pa.table({"x": np.arange(100_000, dtype=float)})
    pq.write_table(numbers, tmp_path / "a.parquet", row_group_size=5000)
    formula = "+".join(f"sin({i}*x)^2 + cos({i}*x)^2" for i in range(1, 20))
    out = tmp_path / "out"
    outcomes = run_on(wanted(formula), [str(tmp_path / "a.parquet")], None, str(out), cluster.scheduler_address)
    first = next(outcomes)
    with distributed.Client(cluster.scheduler_address) as client:
        victim = next(iter(client.run(os.getpid).values()))
    os.kill(victim, signal.SIGKILL)
    rest = list(outcomes)
    assert first.rows + sum(outcome.rows for outcome in rest) == 100_000 and len(rest) == 19
    found = read(out)
    assert found.column("x").equals(numbers.column("x")) and parts(out) == [f"part-{i:05}.parquet" for i in range(20)]
    assert np.allclose(found.column("value").to_numpy(), 19)


def test_a_folder_that_is_there_and_a_formula_that_is_wrong(cluster, tmp_path):
    (tmp_path / "t.csv").write_text("x\n1\n")
    (tmp_path / "out").mkdir()
    with pytest.raises(FileError, match="out exists already"):
        list(run_on(wanted("x"), [str(tmp_path / "t.csv")], None, str(tmp_path / "out"), cluster.scheduler_address))
    with pytest.raises(UsageError, match="no value for y"):
        list(run_on(wanted("y"), [str(tmp_path / "t.csv")], None, str(tmp_path / "new"), cluster.scheduler_address))
    assert sorted(os.listdir(tmp_path)) == ["out", "t.csv"]


def test_an_error_in_a_worker_leaves_no_folder(cluster, tmp_path):
    (tmp_path / "t.csv").write_bytes(b"x\n1\n\xe9\n")
    with pytest.raises(FileError, match=r"t\.csv is not UTF-8: byte 0xE9 in line 3"):
        list(run_on(wanted("x"), [str(tmp_path / "t.csv")], None, str(tmp_path / "out"), cluster.scheduler_address))
    assert os.listdir(tmp_path) == ["t.csv"]


def test_no_scheduler(tmp_path, monkeypatch):
    monkeypatch.setattr("gradcli.files.cluster.PATIENCE", 0.5)
    (tmp_path / "t.csv").write_text("x\n1\n")
    with pytest.raises(GradcliError, match=r"there is no scheduler at tcp://127\.0\.0\.1:9"):
        list(run_on(wanted("x"), [str(tmp_path / "t.csv")], None, str(tmp_path / "out"), "tcp://127.0.0.1:9"))
    assert os.listdir(tmp_path) == ["t.csv"]


def test_the_command(run, tmp_path):
    """With a cluster that it starts and ends itself."""
    (tmp_path / "t.csv").write_text("id,x\n007,3\n008,\n")
    done = run("map", "x^2", "t.csv", "--engine", "dask", "-o", "out", cwd=tmp_path)
    assert (done.code, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        f"{tmp_path / 't.csv'}:3: column x: the cell is empty",
        "error: 1 of 2 rows has no result",
    ]
    assert read(tmp_path / "out").to_pylist() == [
        {"id": "007", "x": "3", "value": 9.0, "d_x": 6.0},
        {"id": "008", "x": "", "value": None, "d_x": None},
    ]


@pytest.mark.parametrize(
    ("args", "part"),
    [(("t.csv",), "-o FOLDER"), (("t.csv", "-o", "out", "--to", "csv"), "--to"), (("t.csv", "-o", "out", "--strict"), "--strict"), (("-", "-o", "out"), "standard input")],
)  # fmt: skip
def test_what_a_cluster_cannot_do(quick, tmp_path, args, part):
    (tmp_path / "t.csv").write_text("x\n1\n")
    done = quick("map", "x", *args, "--engine", "dask", cwd=tmp_path)
    assert (done.code, done.stdout) == (2, "") and part in done.stderr


def test_parts_without_rows_and_one_kind_for_all(cluster, tmp_path):
    (tmp_path / "a.csv").write_text("x,t\n")
    (tmp_path / "b.csv").write_text("x,t\n1,u\n")
    list(run_on(wanted("x^2"), [str(tmp_path / name) for name in ("a.csv", "b.csv")], None, str(tmp_path / "out"), cluster.scheduler_address))  # fmt: skip
    assert read(tmp_path / "out").to_pylist() == [{"x": "1", "t": "u", "value": 1.0, "d_x": 2.0}]
    pq.write_table(pa.table({"x": pa.array([], pa.float64())}), tmp_path / "c.parquet")
    list(run_on(wanted("x^2"), [str(tmp_path / "c.parquet")], None, str(tmp_path / "none"), cluster.scheduler_address))
    assert read(tmp_path / "none").schema.names == ["x", "value", "d_x"]
    (tmp_path / "d.jsonl").write_text('{"x": 1, "f": 1}\n')
    (tmp_path / "e.jsonl").write_text('{"x": "q", "f": 2.5}\n')
    paths = [str(tmp_path / name) for name in ("d.jsonl", "e.jsonl")]
    outcomes = list(run_on(wanted("x^2"), paths, None, str(tmp_path / "json"), cluster.scheduler_address))
    assert [len(outcome.bad) for outcome in outcomes] == [0, 1]
    assert read(tmp_path / "json").column("f").to_pylist() == [1.0, 2.5]


def test_spark(monkeypatch):
    pyspark = pytest.importorskip("pyspark.sql", reason="needs PySpark and Java")
    pytest.importorskip("pandas", reason="PySpark's mapInArrow asks for pandas")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)  # its workers need gradcli too
    session = pyspark.SparkSession.builder.master("local[2]").getOrCreate()
    try:
        frame = session.createDataFrame([(3.0, 4.0), (5.0, None)], "a double, b double")
        schema = "a double, b double, value double, d_a double, d_b double"
        rows = frame.mapInArrow(map_in_arrow("a*b"), schema).collect()
        assert [tuple(row) for row in rows] == [(3.0, 4.0, 12.0, 4.0, 3.0), (5.0, None, None, None, None)]
    finally:
        session.stop()
