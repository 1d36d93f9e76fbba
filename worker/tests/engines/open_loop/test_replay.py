"""A log replayed: its instants by arithmetic, and by nginx's own log of what then comes."""

import itertools
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import yaml
from ngxlab_contracts.gaps import TICKS_PER_S
from ngxlab_contracts.streams import MixedRequest, OpenLoopSpec, ReplaySpec
from ngxlab_worker.engines.native import find_program
from ngxlab_worker.engines.open_loop import PROGRAM, replay_options
from ngxlab_worker.sandbox import Sandbox
from numpy.typing import NDArray
from scipy.stats import chisquare, ks_2samp
from tests.support.native import ask
from tests.support.served import nginx, target_of
from tests.support.specs import CONFIG
from tests.support.streams import open_loop, running

UNLIKELY = 0.001
"""The seeds are fixed: a right program is below this either always or never, but for what the machine adds."""
LONG = "gBCgD"
"""Gaps of 32, 2 and 96 ticks."""


def instants_ns(replay: ReplaySpec, folder: Path, count: int, shard: int = 0, shards: int = 1) -> list[int]:
    words = replay_options(replay, folder / "replay")
    shown = ask(find_program(PROGRAM), "--print-schedule", f"{count}:{shard}:{shards}", *words)
    return [int(line) for line in shown.split()]


@pytest.mark.parametrize("speed", [1, 3, 0.5])
def test_instants_are_those_of_the_log_round_after_round(tmp_path: Path, speed: float) -> None:
    ticks = [0, 32, 34, 130, 162, 164, 260]
    expected = [round(1e9 * tick / TICKS_PER_S / speed) for tick in ticks]
    found = instants_ns(ReplaySpec(gaps=LONG, speed=speed), tmp_path, len(ticks))
    assert found == [pytest.approx(instant, abs=2) for instant in expected]


@pytest.mark.parametrize("shards", [2, 3, 7])
def test_instants_are_dealt_to_the_shards_in_turn(tmp_path: Path, shards: int) -> None:
    replay = ReplaySpec(gaps=LONG)
    parts = [instants_ns(replay, tmp_path, 100, shard, shards) for shard in range(shards)]
    union = [instant for group in itertools.zip_longest(*parts) for instant in group]
    assert union == instants_ns(replay, tmp_path, 100 * shards)


@pytest.mark.parametrize(("speed", "most"), [(1, 3), (3, 4.5), (0.5, 2)])
def test_the_busiest_second_is_what_owners_are_asked_about(speed: float, most: float) -> None:
    """Of requests at 0, 0.9 and 0.95 s, and again from 2 s on."""
    assert ReplaySpec(gaps="o5I0PkoK", speed=speed).busiest_per_s == pytest.approx(most)


def test_a_log_that_is_too_fast_is_refused() -> None:
    """Ten in a millisecond, 100 times as fast, are a million a second."""
    assert ReplaySpec(gaps="AAAAAAAAAK", speed=100).busiest_per_s == pytest.approx(1_000_000)
    with pytest.raises(ValueError, match="more than 1,000,000 requests a second"):
        ReplaySpec(gaps="AAAAAAAAAK", speed=101)


KINDS = {"/": 5, "/css/main.css": 3, "/news": 1.5, "/about": 0.5}
COUNT = 10_000


def written(log: Path) -> NDArray[np.float64]:
    """A log of requests that come in bursts; returns when they came, in seconds."""
    rng = np.random.default_rng(11)
    within = rng.random(COUNT) < 0.8
    gaps = np.where(within, rng.exponential(0.0004, COUNT), rng.exponential(0.0034, COUNT))
    instants = np.cumsum(gaps)
    weights = np.array(list(KINDS.values()))
    uris = rng.choice(list(KINDS), COUNT, p=weights / weights.sum())
    lines = (
        f"{1795766400 + at:.3f} GET {uri} 200\n" for at, uri in zip(np.floor(1000 * instants) / 1000, uris, strict=True)
    )
    log.write_text("".join(lines))
    found: NDArray[np.float64] = instants
    return found


LOG = "log_format asked '$msec $request_method $request_uri $status'; access_log @@folder@@/access.log asked;"
CONFIGURED = CONFIG.replace("@@status_port@@;", "@@status_port@@; access_log off;").replace("access_log off;", LOG, 1)


def replayed(folder: Path, speed: int) -> tuple[NDArray[np.float64], list[MixedRequest], ReplaySpec]:
    """When the requests of a log came, and what ``ngxlab mix`` makes of it."""
    log = folder / "access.log"
    came = written(log)
    form = "$msec $request_method $request_uri $status"
    command = [sys.executable, "-m", "ngxlab_cli", "mix", str(log), "--format", form, "--replay", str(speed)]
    made = yaml.safe_load(subprocess.run(command, capture_output=True, check=True).stdout)["streams"][0]
    requests = [MixedRequest.model_validate(one) for one in made["requests"]]
    return came, requests, ReplaySpec.model_validate(made["open_loop"]["replay"])


@pytest.mark.parametrize("speed", [1, 3])
def test_the_engine_has_the_instants_of_the_log(tmp_path: Path, speed: int) -> None:
    """Within the milliseconds that nginx cuts times off to, which is more than a single gap."""
    came, _, replay = replayed(tmp_path, speed)
    instants = np.array(instants_ns(replay, tmp_path, COUNT)) / 1e9 * speed
    assert np.abs(instants - (came - came[0])).max() < 0.002
    assert ks_2samp(np.diff(instants[::10]), np.diff(came[::10])).pvalue > UNLIKELY


@pytest.mark.parametrize("speed", [1, 3])
def test_nginx_sees_the_log_again(agent_folder: Path, sandbox: Sandbox, tmp_path: Path, speed: int) -> None:
    """The mix by chi-squared; by Kolmogorov and Smirnov the times from each twentieth request to the next (at three
    times the speed from each sixtieth): single gaps are a millisecond, which a busy machine tears apart."""
    came, requests, replay = replayed(tmp_path, speed)
    spec = open_loop(requests=requests, open_loop=OpenLoopSpec(steps=[], replay=replay), connections=50)
    for number in range(3):
        folder = agent_folder / str(number)
        folder.mkdir(mode=0o755)
        with nginx(folder, sandbox, CONFIGURED) as server:
            with running(spec, target_of(server), folder, sandbox) as stream:
                stream.wait_for("completed", COUNT)
                totals = stream.end()
            lines = [line.split() for line in (folder / "nginx" / "access.log").read_text().splitlines()]
        assert len(lines) == totals.completed == totals.intended
        asked = Counter(uri for _, _, uri, _ in lines)
        weights = np.array(list(KINDS.values()))
        expected = totals.completed * weights / weights.sum()
        assert chisquare([asked[uri] for uri in KINDS], expected).pvalue > UNLIKELY
        seen = np.sort([float(at) for at, *_ in lines])[:COUNT][:: 20 * speed]
        wanted = came[:: 20 * speed] / speed
        even = np.full(len(seen) - 1, np.diff(wanted).mean())
        assert ks_2samp(np.diff(seen), even).pvalue < UNLIKELY
        if ks_2samp(np.diff(seen), np.diff(wanted)).pvalue > UNLIKELY:
            return
    pytest.fail("the gaps are not those of the log")
