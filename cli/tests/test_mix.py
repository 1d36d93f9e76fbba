"""Mixes from access logs: what is read of them, what is kept, and that nothing personal or secret leaves."""

import gzip
import json
import random
import string
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from ngxlab.definition.validation import validate
from ngxlab_cli.errors import UsageError
from ngxlab_cli.mix import MixOptions, mix_of
from ngxlab_cli.mix.access_log import reader, seconds_of
from ngxlab_cli.mix.arrivals import MOST_ARRIVALS, text_of
from ngxlab_cli.mix.command import lines_of, model_of, summary
from ngxlab_cli.mix.document import mean_rate, text
from ngxlab_cli.mix.model import MOST_ENTRIES, Model
from ngxlab_cli.mix.private_paths import stripped
from ngxlab_contracts.gaps import TICKS_PER_S, ticks_of
from scipy.stats import ks_2samp

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "mixes.json").read_text())


def lines_in(case: dict[str, Any]) -> Iterator[str]:
    if "lines" in case:
        return iter(case["lines"])
    if "zipf" in case:
        count, line = case["zipf"]
        return (line.replace("%d", str(i)) for i in range(count) for _ in range(count // (i + 1)))
    count, line, *modulus = case["repeat"]
    return (line.replace("%d", str(i % (modulus or [count])[0])) for i in range(count))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["what"])
def test_logs_make_the_mixes_that_they_should(case: dict[str, Any]) -> None:
    model = model_of(lines_in(case), case.get("format"))
    made = mix_of(model, options := MixOptions(case.get("top", 200), case.get("least", 1)))
    found = {"requests": made.requests, "files": made.files, "server": made.server, "kept": made.kept}
    found |= {"answered": made.answered, "read": model.requests, "unread": model.unread, "queries": model.queries}
    assert found | {"hidden": model.hidden, "per_s": model.per_s} == case["expected"]
    if "gaps" in case:
        assert text_of(model.arrivals.ticks or []) == case["gaps"]
    assert len(made.laws) == sum(one.get("draw") == "zipf" for one in made.requests)
    printed = text(made, mean_rate(model.per_s)) + "\n".join(summary(model, made, options))
    assert not [secret for secret in case["secrets"] if secret in printed]


def combined(uri: str, number: int = 0) -> str:
    """A line of nginx's own format."""
    at = f"27/Nov/2026:08:{number // 60 % 60:02d}:{number % 60:02d} +0000"
    return f'192.0.2.7 - bob [{at}] "GET {uri} HTTP/1.1" 200 100 "-" "-"'


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["what"])
def test_an_experiment_may_have_what_is_printed(case: dict[str, Any]) -> None:
    model = model_of(lines_in(case), case.get("format"))
    parts = yaml.safe_load(text(mix_of(model, MixOptions(case.get("top", 200))), mean_rate(model.per_s)))
    nginx = {"workers": 1, "worker_connections": 1024, **parts["nginx"]}
    plan = {"blocks": 3, "warmup_s": 1, "measure_s": 2}
    whole = {"schema_version": 1, "question": "Why?", "factors": [], "baseline": "only", "plan": plan}
    assert validate({**whole, "nginx": nginx, "streams": parts["streams"]}).problems == []


SECRETS = st.one_of(
    st.emails().filter(lambda one: not set(one) & set("?#/; \\")),
    st.uuids().map(str),
    st.integers(1000, 10**12).map(str),
    st.binary(min_size=12, max_size=40).map(lambda one: one.hex()),
    st.text(string.ascii_letters + string.digits + "_", min_size=20, max_size=50),
)


@given(SECRETS, st.sampled_from(["/x/{}", "/{}/y", "/x/{}.html", "/a?t={}", "/a;s={}/b", "/x?{}", "/p/{}?q"]))
def test_no_generated_secret_stays_in_a_path(secret: str, place: str) -> None:
    found = stripped(place.format(secret))
    assert found is not None
    assert secret not in found.path
    assert found.path.count("{n}") <= 1


def test_a_long_log_is_read_in_bounded_memory_and_says_what_it_let_go() -> None:
    words = ["".join(random.Random(i).choices(string.ascii_lowercase, k=9)) for i in range(MOST_ENTRIES + 2000)]
    lines = [combined("/often")] * 50 + [combined(f"/{word}") for word in words] + [combined("/often")] * 50
    model = model_of(iter(lines), None)
    assert len(model.entries) <= MOST_ENTRIES
    assert model.most(1)[0].weight == 100
    assert sum(one.weight for one in model.entries.values()) + model.let_go == model.requests == len(lines)


@pytest.mark.parametrize("packed", [False, True])
def test_the_command_prints_the_parts_and_a_summary(tmp_path: Path, packed: bool) -> None:
    log = tmp_path / "access.log"
    whole = "".join(combined("/a?secretvalue", i) + "\r\n" for i in range(120)).encode() + b"x" * 200_000 + b"\n"
    log.write_bytes(gzip.compress(whole) if packed else whole)
    command = [sys.executable, "-m", "ngxlab_cli", "mix", str(log), "--top", "5"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert '- {weight: 120, path: "/a"}' in done.stdout
    assert "rate_per_s: 1.008" in done.stdout
    assert "120 requests were read; 1 lines were not understood" in done.stderr
    assert "secretvalue" not in done.stdout + done.stderr


def test_a_replay_has_the_instants_of_the_log(tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    log.write_text("".join(combined("/a", i) + "\n" for i in range(0, 120, 3)))
    command = [sys.executable, "-m", "ngxlab_cli", "mix", str(log), "--replay", "3"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    replay = yaml.safe_load(done.stdout)["streams"][0]["open_loop"]["replay"]
    instants = [tick / TICKS_PER_S for tick in accumulate(ticks_of(replay["gaps"]), initial=0)]
    assert replay["speed"] == 3
    assert [round(instant / 3) for instant in instants] == list(range(41))
    assert "replayed at 3 times its speed, the log's 40 instants take" in done.stderr


def test_requests_of_a_second_come_as_those_of_people_who_know_nothing_of_each_other() -> None:
    """A log of whole seconds: the gaps are those of a Poisson process, as they were before nginx cut the times off."""
    rng = np.random.default_rng(5)
    instants = np.cumsum(rng.exponential(1 / 20, 5000))
    model = model_of((combined("/a", int(instant)) for instant in instants), None)
    gaps = np.array(model.arrivals.ticks) / TICKS_PER_S
    assert ks_2samp(gaps, np.diff(instants)).pvalue > 0.001
    assert ks_2samp(gaps, np.full(5000, 1 / 20)).pvalue < 0.001


def test_a_long_log_is_replayed_as_far_as_there_is_room() -> None:
    model = model_of((combined("/a", i // 100) for i in range(MOST_ARRIVALS + 10)), None)
    assert model.arrivals.beyond == 10
    assert len(ticks_of(text_of(model.arrivals.ticks or []))) == MOST_ARRIVALS


@pytest.mark.parametrize(
    ("content", "arguments", "said"),
    [
        (b"hello\n", (), "has no line of the format combined, nor JSON"),
        (b"", (), "has no line"),
        (b"x\n", ("--format", "$status"), "needs $request or $request_uri"),
        (b"x\n", ("--top", "0"), "0 is not between 1 and 1000"),
        (b"x\n", ("--replay", "0"), "0 is not between 0.001 and 1000"),
        (combined("/").encode(), ("--replay",), "there is nothing to replay"),
        (b"\x1f\x8bnonsense", (), "cannot be read"),
    ],
)
def test_what_cannot_be_read_says_why(tmp_path: Path, content: bytes, arguments: tuple[str, ...], said: str) -> None:
    log = tmp_path / "access.log"
    log.write_bytes(content)
    command = [sys.executable, "-m", "ngxlab_cli", "mix", str(log), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 4
    assert said in done.stderr


def test_long_lines_are_cut_and_the_next_one_is_whole() -> None:
    assert [len(line) for line in lines_of(BytesIO(b"a" * 200_000 + b"\nbb\n\nccc"))] == [65_536, 2, 0, 3]


def test_times_of_nginx_are_understood() -> None:
    known = ["27/Nov/2026:09:00:00 +0100", "2026-11-27T08:00:00+00:00", "1795766400.000", "2026-11-27T08:00:00Z"]
    assert {seconds_of(time) for time in known} == {1795766400.0}
    assert [seconds_of(time) for time in ("", "yesterday", "27/Foo/2026:09:00:00 +0100", "2026-13-01T00:00:00Z")] == [
        None
    ] * 4


def test_hostile_lines_take_no_time() -> None:
    read = reader(None, "")
    for line in (
        " , " * 20_000,
        "[" * 60_000,
        '"' * 60_000,
        " : " * 20_000,
        "\\" * 60_000,
        '- - [] "' + "GET " * 10_000,
    ):
        assert read(line) is None
    with pytest.raises(UsageError):
        reader("log_format empty '$status';", "")


def test_nothing_is_read_from_nothing() -> None:
    assert mix_of(Model(), MixOptions()).requests == []
