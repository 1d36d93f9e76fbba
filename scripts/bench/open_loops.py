"""The open-loop engine with mixes, replayed logs and HTTP/2, against an nginx on this machine, without a trial."""

import asyncio
import random
import re
import resource
import shutil
import subprocess
from collections.abc import Mapping
from statistics import median
from string import ascii_uppercase
from typing import Any

import numpy as np
from ngxlab_contracts.gaps import TICKS_PER_S
from ngxlab_contracts.streams import MixedRequest, OpenLoopSpec, ReplaySpec
from ngxlab_contracts.trials import NginxSpec

from scripts.bench.cpu import product_stopped
from scripts.bench.engines import (
    CONFIG,
    ENGINE_CPU,
    NGINX,
    NGINX_CPU,
    OPEN_LOOP_NGINX,
    PER_S,
    Bed,
    Driven,
    drive,
    in_random_order,
    quantile_us,
    ratio_of,
    started,
)
from scripts.bench.lab import Lab
from scripts.bench.report import Found, NotMeasuredError, paired

MIX = [MixedRequest(weight=1 + k % 7, path=f"/section-{k}/{{n}}", count=1000, draw="zipf") for k in range(500)]


async def mixes(lab: Lab, runs: int, seconds: int) -> dict[str, Found]:
    """A mix at a rate and in closed loop, alternating with one request; and a log replayed with its own timing."""
    return await asyncio.to_thread(_mixes, lab, runs, seconds)


def _mixes(lab: Lab, runs: int, seconds: int) -> dict[str, Found]:
    paced: list[Driven] = []
    replayed: list[Driven] = []
    mixed: list[Driven] = []
    single: list[Driven] = []
    with product_stopped(lab), started(OPEN_LOOP_NGINX) as bed:
        for _ in range(runs):
            paced.append(drive(bed, PER_S, seconds, requests=MIX))
            replayed.append(drive(bed, PER_S, seconds, requests=MIX, open_loop=_log()))
            for runs_of, requests in random.sample([(mixed, MIX), (single, [])], 2):
                runs_of.append(drive(bed, None, seconds, requests=requests))
    ratios = [a.totals.completed / a.cpu_s * b.cpu_s / b.totals.completed for a, b in zip(mixed, single, strict=True)]
    per_s = [run.totals.completed / run.seconds for run in mixed]
    return {
        "mix-lateness": _lateness(paced),
        "replay-lateness": _lateness(replayed),
        "mix-capacity": Found(median(per_s), {"requests_per_s": per_s, "ratio_to_one_request": ratios}),
    }


def _log() -> OpenLoopSpec:
    """Ten seconds of requests that come by chance, ``PER_S`` of them on average: a gap in ticks is a letter."""
    mean = TICKS_PER_S / PER_S
    ticks = np.random.default_rng(1).geometric(1 / (1 + mean), 10 * PER_S) - 1
    gaps = "".join(ascii_uppercase[min(tick, 25)] for tick in ticks)
    return OpenLoopSpec(steps=[], replay=ReplaySpec(gaps=gaps))


def _lateness(runs: list[Driven]) -> Found:
    """Milliseconds."""
    p99 = [quantile_us(run.schedule, 0.99) for run in runs]
    return Found(median(p99) / 1000, {"p99_us": p99, "sent": [run.totals.sent for run in runs]})


HTTP2_CONFIG = CONFIG.replace("@@http_port@@;", "@@http_port@@ http2;")
HTTP2_NGINX = NginxSpec(binary=NGINX, config=HTTP2_CONFIG, workers=1, cpus=NGINX_CPU)
HTTP2: dict[str, Any] = {"protocol": "http/2", "connections": 16, "requests_at_once": 10}
DELAYED_CONFIG = "@@modules@@\n" + HTTP2_CONFIG.replace(
    'return 200 "OK\\n";', 'content_by_lua_block { ngx.sleep(0.01) ngx.print("OK") }'
)
DELAYED_NGINX = HTTP2_NGINX.model_copy(update={"config": DELAYED_CONFIG, "modules": ["http_lua_module"]})
DELAYED: dict[str, Any] = HTTP2 | {"connections": 4, "requests_at_once": 4}


async def http2(lab: Lab, pairs: int, seconds: int) -> dict[str, Found]:
    """HTTP/2: against h2load on one server, in random order, and the engine's own lateness at a rate."""
    return await asyncio.to_thread(_http2, lab, pairs, seconds)


def _http2(lab: Lab, pairs: int, seconds: int) -> dict[str, Found]:
    h2load = shutil.which("h2load")
    if h2load is None:
        raise NotMeasuredError("h2load is not installed (the package nghttp2-client)")
    found: list[tuple[float, float]] = []
    means: list[tuple[float, float]] = []
    lateness: list[int] = []
    with product_stopped(lab):
        with started(HTTP2_NGINX) as bed:
            for _ in range(pairs):
                found.append(in_random_order(lambda: _own_http2(bed, seconds), lambda: _h2load(h2load, bed, seconds)))
                lateness.append(quantile_us(drive(bed, PER_S, seconds, **HTTP2).schedule, 0.99))
        with started(DELAYED_NGINX) as bed:
            for _ in range(pairs):
                pair = in_random_order(lambda: _own_mean_s(bed, seconds), lambda: _h2load_mean_s(h2load, bed, seconds))
                means.append(pair)
    latency = paired(means)
    return {
        "http2-capacity": ratio_of(found),
        "http2-lateness": Found(median(lateness) / 1000, {"p99_us": lateness}),
        "http2-latency": Found(
            100 * abs(latency.ratio - 1),
            {"mean_latency_s": means, "ratio": latency.ratio, "interval_95_of_ratio": latency.interval_95},
        ),
    }


def _own_http2(bed: Bed, seconds: int) -> float:
    """Requests for each second of the engine's CPU time."""
    driven = drive(bed, None, seconds, **HTTP2)
    return driven.totals.completed / driven.cpu_s


def _own_mean_s(bed: Bed, seconds: int) -> float:
    """Mean latency in closed loop."""
    latency = drive(bed, None, seconds, **DELAYED).latency
    return float(np.average(latency.latency_us, weights=latency.count)) / 1e6


def _h2load_mean_s(program: str, bed: Bed, seconds: int) -> float:
    """Likewise, of h2load."""
    said = _asked(program, bed, seconds, DELAYED)
    row = re.search(r"^time for request:(?:\s+[\d.]+(?:us|ms|s)){2}\s+([\d.]+)(us|ms|s)", said, re.MULTILINE)
    if row is None:
        raise NotMeasuredError(f"h2load told no times: {said[-500:]}")
    return float(row[1]) * {"us": 1e-6, "ms": 1e-3, "s": 1}[row[2]]


def _h2load(program: str, bed: Bed, seconds: int) -> float:
    """Requests for each second of h2load's CPU time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = _asked(program, bed, seconds, HTTP2)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    answered = re.search(r"(\d+) succeeded, 0 failed", said)
    if answered is None:
        raise NotMeasuredError(f"h2load failed: {said[-500:]}")
    return int(answered[1]) / (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def _asked(program: str, bed: Bed, seconds: int, stream: Mapping[str, Any]) -> str:
    """What h2load prints after a closed loop like the stream's."""
    address, port = bed.target.address, bed.target.port
    many = ["-c", str(stream["connections"]), "-m", str(stream["requests_at_once"]), "-t", "1", "-D", str(seconds)]
    command = ["taskset", "-c", ENGINE_CPU, program, *many, f"http://{address}:{port}/"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
