"""``ngxlab import --from``: what other tools wrote, read and judged.

How each file in ``other_tools`` came about, and by which version, is in docs/other-tools.md.
"""

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from ngxlab_cli.main import main
from ngxlab_cli.results.arms import files_of
from ngxlab_cli.results.command import PARSERS
from ngxlab_cli.results.measured import Measured, NotItsResult

FOLDER = Path(__file__).with_name("other_tools")
REAL = {
    "wrk": "wrk/old/1.txt",
    "wrk2": "wrk2/latency.txt",
    "h2load": "h2load/old/1.txt",
    "k6": "k6/old/1.json",
    "oha": "oha/result.json",
    "vegeta": "vegeta/old/1.json",
    "fortio": "fortio/old/1.json",
    "hyperfine": "hyperfine.json",
}


def read(tool: str, file: str) -> dict[str, float]:
    found = PARSERS[tool]((FOLDER / file).read_text())
    return dict((found[0] if isinstance(found, list) else found).values)


def ngxlab(*arguments: str) -> tuple[int, str, str]:
    """In this process: each one of its own would load scipy."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["ngxlab", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
    return int(ended.value.code or 0), out.getvalue(), err.getvalue()


@pytest.mark.parametrize(
    ("tool", "file", "values"),
    [
        (
            "wrk2",
            "wrk2/latency.txt",
            {"requests_per_s": 2000.28, "latency_mean_ms": 6.60, "latency_p50_ms": 6.67, "latency_p99_ms": 11.18,
             "latency_p99_9_ms": 12.30, "errors_percent": 0.0},
        ),
        ("wrk", "wrk/refused.txt", {"errors_percent": 100.0}),
        (
            "oha",
            "oha/result.json",
            {"requests_per_s": 1980.0, "latency_mean_ms": 1.96, "latency_p99_9_ms": 18.2, "errors_percent": 3.0},
        ),
    ],
)  # fmt: skip
def test_values_are_those_of_the_file(tool: str, file: str, values: dict[str, float]) -> None:
    found = read(tool, file)
    assert {metric: found[metric] for metric in values} == pytest.approx(values)


def test_values_of_real_files_are_those_that_stand_in_them() -> None:
    """Each is looked up in the file once more, by hand as it were."""
    wrk = (FOLDER / REAL["wrk"]).read_text()
    assert f"Requests/sec:{read('wrk', REAL['wrk'])['requests_per_s']:>10.2f}" in wrk
    k6 = json.loads((FOLDER / REAL["k6"]).read_text())["metrics"]["http_req_duration"]["values"]
    assert read("k6", REAL["k6"])["latency_p99_ms"] == k6["p(99)"]
    exported = json.loads((FOLDER / "k6/export.json").read_text())["metrics"]
    assert read("k6", "k6/export.json")["requests_per_s"] == exported["http_reqs"]["rate"]
    vegeta = json.loads((FOLDER / REAL["vegeta"]).read_text())["latencies"]
    assert read("vegeta", REAL["vegeta"])["latency_p95_ms"] == vegeta["95th"] / 1e6
    fortio = json.loads((FOLDER / REAL["fortio"]).read_text())["DurationHistogram"]["Percentiles"]
    p99 = next(one["Value"] for one in fortio if one["Percentile"] == 99)
    assert read("fortio", REAL["fortio"])["latency_p99_ms"] == 1000 * p99
    h2load = read("h2load", REAL["h2load"])
    assert f", {h2load['requests_per_s']:.2f} req/s" in (FOLDER / REAL["h2load"]).read_text()
    assert set(h2load) == {"requests_per_s", "latency_mean_ms", "errors_percent"}


@pytest.mark.parametrize("tool", PARSERS)
def test_what_is_broken_off_is_refused_or_read_and_nothing_else(tool: str) -> None:
    text = (FOLDER / REAL[tool]).read_text()
    assert PARSERS[tool](text)
    for end in range(0, len(text), max(1, len(text) // 200)):
        try:
            found = PARSERS[tool](text[:end])
        except NotItsResult:
            continue
        assert isinstance(found, Measured | list)


@pytest.mark.parametrize("tool", PARSERS)
def test_results_of_another_tool_are_refused(tool: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("Requests were fast.\n")
    for other, file in [*REAL.items(), ("none", str(tmp_path / "notes.txt"))]:
        if other != tool:
            code, out, err = ngxlab("import", "--from", tool, f"a={FOLDER / file}", f"b={FOLDER / file}")
            assert (code, out) == (4, ""), other
            assert f"is no result of {tool}" in err


def measured(folder: Path, **rates: list[float]) -> None:
    """Files as wrk writes them, of these rates."""
    text = (FOLDER / REAL["wrk"]).read_text()
    rate = f"{read('wrk', REAL['wrk'])['requests_per_s']:.2f}"
    for arm, of_arm in rates.items():
        (folder / arm).mkdir()
        for block, value in enumerate(of_arm, 1):
            (folder / arm / f"{block}.txt").write_text(text.replace(rate, f"{value:.2f}"))


def claims(*arguments: str) -> tuple[dict[str, Any], list[str]]:
    """By metric, and what is not judged."""
    code, out, err = ngxlab("import", "--json", *arguments)
    assert code == 0, err
    document = json.loads(out)
    return {claim["metric"]: claim for claim in document["claims"]}, document["not_judged"]


def test_a_known_difference_is_found_and_none_is_not(tmp_path: Path) -> None:
    """The third arm is 20 % faster, the second one differs by what blocks differ."""
    base = [1000.0, 1010.0, 990.0, 1004.0, 996.0, 1001.0]
    noise = [1.002, 0.999, 1.001, 0.998, 1.0, 1.0]
    rates = {"a": base, "b": [one * by for one, by in zip(base, noise, strict=True)]}
    measured(tmp_path, **rates, c=[1.2 * one * by for one, by in zip(base, noise, strict=True)])
    found, _ = claims("--from", "wrk", str(tmp_path / "a"), str(tmp_path / "c"))
    claim = found["requests_per_s"]
    assert (claim["arm"], claim["family"], claim["verdict"], claim["pairs"]) == ("c", "primary", "better", 6)
    assert 1.19 < claim["low"] < 1.2 < claim["high"] < 1.21
    found, _ = claims("--from", "wrk", str(tmp_path / "a"), str(tmp_path / "b"))
    assert found["requests_per_s"]["verdict"] == "equivalent"


@pytest.mark.parametrize("tool", ["wrk", "h2load", "k6", "vegeta"])
def test_real_files_are_judged_and_what_they_lack_is_said(tool: str) -> None:
    found, lacks = claims("--from", tool, str(FOLDER / tool / "old"), str(FOLDER / tool / "new"))
    primary = [metric for metric, claim in found.items() if claim["family"] == "primary"]
    assert primary == ["latency_p99_ms" if tool == "vegeta" else "requests_per_s"]
    assert found[primary[0]]["pairs"] == 3
    assert "errors_percent" not in found
    assert "these files do not say it" in lacks[-1]
    assert any("h2load prints none" in text for text in lacks) == (tool == "h2load")
    assert any("closed loop" in text for text in lacks) == (tool in {"wrk", "h2load"})
    code, out, _ = ngxlab("import", "--from", tool, str(FOLDER / tool / "old"), str(FOLDER / tool / "new"))
    assert code == 0
    assert "What these files do not let one judge:" in out


def test_a_load_that_fortio_did_not_reach_is_told() -> None:
    found = PARSERS["fortio"]((FOLDER / "fortio/behind.json").read_text())
    assert isinstance(found, Measured)
    assert any(text.startswith("A load of 100000 requests/s: fortio reached ") for text in found.lacks)


def test_errors_are_compared_by_difference(tmp_path: Path) -> None:
    refused = (FOLDER / "wrk/refused.txt").read_text()
    measured(tmp_path, old=[1000.0, 1001.0, 999.0])
    (tmp_path / "new").mkdir()
    for block in range(3):
        (tmp_path / "new" / f"{block}.txt").write_text(refused)
    found, _ = claims("--from", "wrk", str(tmp_path / "old"), str(tmp_path / "new"))
    assert found["errors_percent"]["difference"] == 100
    assert found["requests_per_s"]["verdict"] != "better", "what fails fast serves nobody"


def test_a_command_that_failed_has_no_time() -> None:
    document = json.loads((FOLDER / "hyperfine.json").read_text())
    document["results"][0]["exit_codes"] = [127]
    empty: dict[str, Any] = {"results": []}
    for wrong in (document, empty):
        with pytest.raises(NotItsResult):
            PARSERS["hyperfine"](json.dumps(wrong))


def test_arms_that_were_measured_one_after_the_other_are_told(tmp_path: Path) -> None:
    """Vegeta's files say when they began: those here came in turns."""
    in_turns = "What changed on the machine between the arms"
    _, lacks = claims("--from", "vegeta", str(FOLDER / "vegeta/old"), str(FOLDER / "vegeta/new"))
    assert not any(in_turns in text for text in lacks)
    for arm, day in (("old", 1), ("new", 2)):
        (tmp_path / arm).mkdir()
        for file in (FOLDER / "vegeta" / arm).iterdir():
            document = json.loads(file.read_text()) | {"earliest": f"2026-01-0{day}T00:00:0{file.stem}.123456789Z"}
            (tmp_path / arm / file.name).write_text(json.dumps(document))
    _, lacks = claims("--from", "vegeta", str(tmp_path / "old"), str(tmp_path / "new"))
    assert any(in_turns in text for text in lacks)


def test_hyperfine_repeats_within_a_file_or_by_files(tmp_path: Path) -> None:
    file = FOLDER / "hyperfine.json"
    found, lacks = claims("--from", "hyperfine", str(file))
    assert (found["time_s"]["pairs"], found["time_s"]["family"]) == (5, "primary")
    assert any("hyperfine repeats one command after the other" in text for text in lacks)
    for number in range(3):
        (tmp_path / f"round-{number}.json").write_text(file.read_text())
    found, lacks = claims("--from", "hyperfine", str(tmp_path))
    assert found["time_s"]["pairs"] == 3
    assert not any("hyperfine repeats" in text for text in lacks)


def test_values_are_kept_for_judge(tmp_path: Path) -> None:
    """The same claims come of them."""
    arms = [str(FOLDER / "wrk/old"), str(FOLDER / "wrk/new")]
    kept = tmp_path / "values.csv"
    code, out, err = ngxlab("import", "--from", "wrk", *arms, "--csv", str(kept))
    assert (code, out) == (0, "")
    assert "not judged: The load waits" in err.replace("\n", " ")
    code, out, _ = ngxlab("judge", str(kept), "--primary", "requests_per_s", "--json")
    again = {claim["metric"]: claim for claim in json.loads(out)["claims"]}["requests_per_s"]
    assert again == claims("--from", "wrk", *arms)[0]["requests_per_s"]


def test_files_are_grouped_by_name_or_folder_and_counted_in_order(tmp_path: Path) -> None:
    for name in ("old-10.txt", "old-9.txt", "new-1.txt"):
        (tmp_path / name).write_text("")
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "1.txt").write_text("")
    found = files_of([f"a={tmp_path}/old-*.txt", f"b={tmp_path}/new-1.txt", str(tmp_path / "c")])
    assert {arm: [path.name for path in paths] for arm, paths in found.items()} == {
        "a": ["old-9.txt", "old-10.txt"],
        "b": ["new-1.txt"],
        "c": ["1.txt"],
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--from", "wrk", "nowhere.txt"], "there is no such file"),
        (["--from", "wrk", str(FOLDER / "wrk/old")], "all files are of one arm, old: write ARM=FILE"),
        (["--from", "wrk", str(FOLDER / "wrk/old"), str(FOLDER / "wrk/new"), "--baseline", "x"], "has no such arm"),
        (["--from", "wrk", str(FOLDER / "wrk/old"), str(FOLDER / "wrk/new"), "--primary", "x"], "has no such metric"),
        (["run.zip", "--primary", "x"], "--csv need --from"),
    ],
)
def test_a_mistake_is_named(arguments: list[str], message: str) -> None:
    code, out, err = ngxlab("import", *arguments)
    assert (code, out) == (4, "")
    assert message in err
