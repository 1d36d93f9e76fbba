"""``ngxlab judge``: claims from a CSV file, without a server."""

import io
import json
import subprocess
import sys
import tracemalloc
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest
from ngxlab_cli.main import main

from scripts.paths import BIN, ROOT
from scripts.simulations.command_line import CHECKED, judged_by_command

HEADER = "experiment,arm,block,metric,value\n"
ROWS = "".join(
    f"{experiment},{arm},{block},{metric},{value}\n"
    for experiment in ("one", "two")
    for metric, arms in (("rate", {"off": 100, "on": 120}), ("p99", {"off": 30, "on": 20}))
    for arm, base in arms.items()
    for block, value in enumerate((base, base * 1.01, base * 0.995 + (arm == "on"), base * 1.004))
)


class Printed(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def ngxlab(*arguments: str, text: str | None = None) -> Printed:
    """In this process: each one of its own would load scipy."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["ngxlab", "judge", *arguments])
        patch.setattr(sys, "stdin", io.StringIO(text or ""))
        with pytest.raises(SystemExit) as ended:
            main()
    return Printed(int(ended.value.code or 0), out.getvalue(), err.getvalue())


@pytest.fixture
def values(tmp_path: Path) -> Path:
    path = tmp_path / "values.csv"
    path.write_text(HEADER + ROWS)
    return path


def test_one_line_for_each_experiment(values: Path) -> None:
    """By the command as it is installed."""
    options = ["--primary", "rate", "--primary", "p99", "--lower-is-better", "p99", "--json"]
    command = [str(BIN / "ngxlab"), "judge", str(values), *options]
    answer = subprocess.run(command, capture_output=True, text=True, check=False, env={"PATH": "/usr/bin"})
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
        (f"{HEADER}e,a,1,rate,1e300\n", [], "line 2: value '1e300' is too large"),
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


FACTORS = "aio,threads,block,metric,value\n" + "".join(
    f"{aio},{threads},{block},{metric},{base * (1 + 0.01 * ((3 * block + 5 * place) % 7)):.6g}\n"
    for block in range(1, 7)
    for metric, bases in (("rate", (1000, 1010, 1300, 1320)), ("p99", (40, 41, 15, 16)), ("errors", (0, 0.1, 0, 0.2)))
    for place, (aio, threads, base) in enumerate(
        zip(("off", "off", "on", "on"), ("8", "32", "8", "32"), bases, strict=True)
    )
)
ALL = (
    "--factor", "aio", "--factor", "threads", "--primary", "rate", "--primary", "p99", "--lower-is-better", "p99",
    "--difference", "errors=0.5", "--range", "errors=0:100", "--margin", "p99=0.1",
)  # fmt: skip


class TestWholeProcedure:
    def test_factors_name_the_arms_and_have_effects(self) -> None:
        answer = ngxlab("-", *ALL, "--json", text=FACTORS)
        assert answer.returncode == 0, answer.stderr
        document = json.loads(answer.stdout)
        assert list(dict.fromkeys(claim["arm"] for claim in document["claims"])) == ["off.32", "on.8", "on.32"]
        effects = [one for one in document["factors"]["effects"] if one["metric"] == "rate"]
        assert [one["levels"] for one in effects] == [
            {"aio": "on"}, {"threads": "32"}, {"aio": "on", "threads": "32"},
        ]  # fmt: skip
        assert effects[0]["verdict"] == "better"
        assert effects[0]["low"] < 1.3 < effects[0]["high"]
        assert {one["confidence_percent"] for one in effects} == {97.5}
        assert document["factors"]["reasons"] == {"errors": "compared by difference: effects of factors are ratios"}

    def test_values_that_may_be_zero_are_compared_by_difference(self) -> None:
        claims = json.loads(ngxlab("-", *ALL, "--json", text=FACTORS).stdout)["claims"]
        errors = [claim for claim in claims if claim["metric"] == "errors"]
        assert [claim["difference"] for claim in errors] == pytest.approx([0.103, 0.0, 0.206], abs=2e-3)
        assert all("ratio" not in claim for claim in errors)

    def test_three_factors_that_act_together_are_said_to(self) -> None:
        arms = [(x, y, z) for x in "ab" for y in "ab" for z in "ab"]
        text = "x,y,z,block,metric,value\n" + "".join(
            f"{','.join(arm)},{block},rate,{base * (1 + 0.004 * ((block * 7 + place * 3) % 5))}\n"
            for block in range(6)
            for place, arm in enumerate(arms)
            for base in [1100 if arm == ("b", "b", "b") else 1000]
        )
        document = json.loads(
            ngxlab("-", "--factor", "x", "--factor", "y", "--factor", "z", "--json", text=text).stdout
        )
        assert document["factors"]["effects"] == []
        assert document["factors"]["reasons"]["rate"].startswith("three or more factors act together")

    def test_a_column_has_one_notation(self) -> None:
        text = HEADER.removeprefix("experiment,") + "".join(
            f"{arm},{block},rate,{base * (1 + 0.01 * ((block * step) % 5))}\n"
            for arm, base, step in (("a", 100, 1), ("b", 103, 2), ("c", 250, 3))
            for block in range(5)
        )
        table = ngxlab("-", text=text).stdout.split("rate, primary\n")[1].splitlines()[1:3]
        assert all("%" not in line.split("  95 %")[0] and "x" in line for line in table)

    def test_looks_before_the_planned_end_show_less(self) -> None:
        def claims(*options: str) -> list[tuple[float, float]]:
            answer = ngxlab(
                "-", "--primary", "rate", *options, "--factor", "aio", "--factor", "threads", "--json", text=FACTORS
            )
            assert answer.returncode == 0, answer.stderr
            judged = json.loads(answer.stdout)["claims"]
            return [(claim["low"], claim["high"]) for claim in judged if claim["metric"] == "rate"]

        once, planned, until, early = (
            claims(),
            claims("--planned", "6"),
            claims("--until", "20"),
            claims("--planned", "20"),
        )
        for narrow, wide in ((once, planned), (planned, until), (until, early)):
            assert all(own[0] > other[0] and own[1] < other[1] for own, other in zip(narrow, wide, strict=True))

    def test_undecided_claims_say_how_many_more_pairs_decide(self) -> None:
        words = ngxlab("-", *ALL, text=FACTORS).stdout
        assert "more pairs that decide with 80 % power: about " in words
        assert "Of the error, the metrics have of their own: rate 4 %, p99 1 %" in words

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--factor", "kind"], "--factor kind: standard input has no such column; it has aio, threads, block"),
            (["--factor", "aio"], "line 3: arm off, block 1, metric rate has a value already"),
            ([*ALL, "--planned", "5"], "--planned 5: standard input has 6 blocks, more than planned"),
            ([*ALL, "--planned", "9", "--until", "9"], "not allowed with argument"),
            ([*ALL, "--until", "1"], "--until 1: a plan has 2 blocks or more"),
            ([*ALL, "--neutral", "p99"], "--neutral p99: --lower-is-better says otherwise"),
            ([*ALL, "--range", "p99=0:1"], "--range p99: it limits differences"),
            ([*ALL, "--range", "p99=7"], "--range 7: write METRIC=LOWEST:HIGHEST"),
            ([*ALL, "--difference", "errors=1"], "--difference errors: given twice"),
            ([*ALL, "--margin", "rate=much"], "--margin much: not a number"),
            ([*ALL, "--margin", "errors=0.1"], "--margin errors: --difference has its margin"),
            ([*ALL, "--difference", "p99"], "--difference p99: write METRIC=NUMBER"),
            ([*ALL, "--margin", "0.1", "--margin", "0.2"], "--margin 0.2: given twice"),
        ],
    )
    def test_a_mistake_is_named(self, options: list[str], message: str) -> None:
        answer = ngxlab("-", *options, text=FACTORS)
        assert (answer.returncode, answer.stdout) == (4, "")
        assert message in answer.stderr

    def test_an_arm_has_one_level_of_a_factor(self) -> None:
        text = "arm,aio,gzip,block,metric,value\na,off,on,1,rate,1\na,on,on,2,rate,1\n"
        answer = ngxlab("-", "--factor", "aio", "--factor", "gzip", text=text)
        assert answer.returncode == 4
        assert "line 3: arm a has aio on, but off in line 2" in answer.stderr

    def test_the_documents_example_is_what_the_command_takes(self) -> None:
        document = (ROOT / "docs" / "judge.md").read_text(encoding="utf-8")
        command = next(block for block in document.split("```sh\n") if block.startswith("ngxlab judge")).split("```")[0]
        options = command.replace("\\\n", " ").split()[3:]
        header = document.split("```csv\n")[1].splitlines()[0]
        rows = FACTORS.splitlines()[1:]
        names = {"rate": "requests_per_s", "p99": "p99_ms", "errors": "errors_percent"}
        renamed = [",".join(names.get(cell, cell) for cell in row.split(",")) for row in rows]
        answer = ngxlab("-", *options, text="\n".join([header, *renamed]))
        assert answer.returncode == 0, answer.stderr
        assert "Factors, requests_per_s, primary, all intervals together 97.5 %" in answer.stdout


def test_ten_thousand_blocks() -> None:
    text = "arm,block,metric,value\n" + "".join(
        f"{arm},{block},rate,{base + (block * step) % 97}\n"
        for arm, base, step in (("a", 1000, 7), ("b", 1010, 11))
        for block in range(10_000)
    )
    tracemalloc.start()
    answer = ngxlab("-", "--json", text=text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert answer.returncode == 0, answer.stderr
    [claim] = json.loads(answer.stdout)["claims"]
    assert (claim["verdict"], claim["pairs"]) == ("equivalent", 10_000)
    assert claim["low"] < 1.0095 < claim["high"]
    assert peak < 200e6  # a matrix of all cells takes 3.2 GB


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
