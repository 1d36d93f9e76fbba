"""``ngxlab judge``: claims from a CSV file, without a server."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.paths import BIN
from scripts.simulations.command_line import CHECKED, judged_by_command

HEADER = "experiment,arm,block,metric,value\n"
ROWS = "".join(
    f"{experiment},{arm},{block},{metric},{value}\n"
    for experiment in ("one", "two")
    for metric, arms in (("rate", {"off": 100, "on": 120}), ("p99", {"off": 30, "on": 20}))
    for arm, base in arms.items()
    for block, value in enumerate((base, base * 1.01, base * 0.995 + (arm == "on"), base * 1.004))
)


def ngxlab(*arguments: str, text: str | None = None) -> "subprocess.CompletedProcess[str]":
    command = [str(BIN / "ngxlab"), "judge", *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False, env={"PATH": "/usr/bin"})


@pytest.fixture
def values(tmp_path: Path) -> Path:
    path = tmp_path / "values.csv"
    path.write_text(HEADER + ROWS)
    return path


def test_one_line_for_each_experiment(values: Path) -> None:
    answer = ngxlab(str(values), "--primary", "rate", "--primary", "p99", "--lower-is-better", "p99", "--json")
    assert answer.returncode == 0, answer.stderr
    documents = [json.loads(line) for line in answer.stdout.splitlines()]
    assert [document["experiment"] for document in documents] == ["one", "two"]
    rate, p99 = documents[0]["claims"]
    assert rate.keys() == {"arm", "metric", "family", "verdict", "ratio", "low", "high", "pairs", "confidence_percent"}
    assert (rate["arm"], rate["metric"], rate["family"], rate["verdict"], rate["pairs"]) == (
        "on", "rate", "primary", "better", 4,
    )  # fmt: skip
    assert 1.15 < rate["low"] < rate["ratio"] < rate["high"] < 1.25
    assert (p99["metric"], p99["verdict"]) == ("p99", "better")


def test_other_metrics_are_exploratory(values: Path) -> None:
    answer = ngxlab(str(values), "--primary", "rate", "--json")
    claims = json.loads(answer.stdout.splitlines()[0])["claims"]
    assert [(claim["family"], claim["verdict"]) for claim in claims] == [
        ("primary", "better"),
        ("exploratory", "lower"),
    ]


def test_people_read_the_answer_first(values: Path) -> None:
    answer = ngxlab(str(values), "--primary", "rate")
    title, first = answer.stdout.splitlines()[:2]
    assert title == "one, against off"
    assert first.startswith("  on is better in rate by at least ")
    assert "n = 4 pairs" in first


def test_columns_in_any_order_without_experiments_from_standard_input() -> None:
    text = "value,note,metric,block,arm\n" + "".join(
        f"{base + block**2},x,rate,{block},{arm}\n" for arm, base in (("b", 100), ("a", 50)) for block in range(3)
    )
    answer = ngxlab("-", "--json", "--baseline", "a", text=text)
    assert answer.returncode == 0, answer.stderr
    document = json.loads(answer.stdout)
    assert document["experiment"] is None
    assert [(claim["arm"], claim["verdict"]) for claim in document["claims"]] == [("b", "better")]


@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_spreadsheets_file_is_the_same_table(separator: str) -> None:
    """It may begin with a byte order mark, and separate its columns otherwise."""
    plain = ngxlab("-", "--json", text=HEADER + ROWS)
    assert plain.returncode == 0, plain.stderr
    assert ngxlab("-", "--json", text="\ufeff" + (HEADER + ROWS).replace(",", separator)).stdout == plain.stdout


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", [], "line 1: no column arm, block, metric, value"),
        ("arm,block,value\n", [], "line 1: no column metric"),
        ("arm,block,metric,value,arm\n", [], "line 1: column arm occurs twice"),
        (HEADER, [], "has no values"),
        (f"{HEADER}e,a,1,rate,fast\n", [], "line 2: value 'fast' is not a number"),
        (f"{HEADER}e,a,1,rate,nan\n", [], "line 2: value 'nan' is not a finite number"),
        (f"{HEADER}e,a,1,rate,1_000\n", [], "line 2: value '1_000' is not a number; write a decimal point"),
        (f"{HEADER}e,a,1,rate,1e999\n", [], "line 2: value '1e999' is too large"),
        (f"{HEADER}e,a,1,rate,3,95\n", [], "line 2: 6 columns, more than the header has; if it has numbers like 3,95"),
        ("arm;block;metric;value\na;1;rate;3,95\n", [], "line 2: value '3,95' is not a number; write a decimal point"),
        (f"{HEADER}e,a,1,rate\n", [], "line 2: 4 columns"),
        (f"{HEADER}e,a,,rate,1\n", [], "line 2: block is empty"),
        (f"{HEADER}e,a,1,rate,1\n\ne,a,1,rate,2\n", [], "line 4: arm a, block 1, metric rate has a value already"),
        (HEADER + ROWS, ["--baseline", "none"], "experiment one of standard input has no such arm; it has off"),
        (HEADER + ROWS, ["--primary", "cpu"], "--primary cpu: standard input has no such metric; it has rate, p99"),
        (HEADER + ROWS, ["--primary", "rate", "--primary", "rate"], "--primary rate: given twice"),
        (HEADER + ROWS, ["--lower-is-better", "cpu"], "--lower-is-better cpu"),
        (HEADER + ROWS, ["--margin", "-1"], "--margin -1"),
        (f"{HEADER}one,a,1,rate,1\ntwo,b,1,rate,1\n", [], "the baseline a (the file's first arm): experiment two"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_place(text: str, options: list[str], message: str) -> None:
    answer = ngxlab("-", *options, text=text)
    assert answer.returncode == 4
    assert message in answer.stderr
    assert "Traceback" not in answer.stderr
    assert answer.stdout == ""


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    answer = ngxlab(str(tmp_path / "none.csv"))
    assert (answer.returncode, answer.stdout) == (4, "")
    assert "No such file" in answer.stderr


def test_the_command_makes_the_claims_of_the_procedure() -> None:
    """Simulated experiments, through a file and the command line: nearly all effects found, few false claims."""
    documents = judged_by_command(list(CHECKED.experiments(200)), ["m0", "m1"])
    claims = [claim for document in documents for claim in document["claims"] if claim["family"] == "primary"]
    claimed = [claim["verdict"] in {"better", "worse"} for claim in claims]
    real = [(claim["arm"], claim["metric"]) == ("a1", "m0") for claim in claims]
    found = sum(both for both in map(all, zip(claimed, real, strict=True)))
    assert found >= 80
    assert sum(claimed) - found <= 20


def test_other_commands_do_not_load_numpy() -> None:
    code = """
import sys
from ngxlab_cli.main import main
sys.argv = ["ngxlab", "runs", "--help"]
try:
    main()
except SystemExit:
    assert "numpy" not in sys.modules
else:
    raise AssertionError
"""
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
