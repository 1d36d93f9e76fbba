"""Mixes of requests, by what is known of them: weights and popularities, and nginx's own log of what was asked."""

import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from ngxlab_contracts.files import FileSet
from ngxlab_contracts.streams import MixedRequest, StreamSpec
from ngxlab_worker.engines import GeneratorError, Target
from ngxlab_worker.engines.native import find_program
from ngxlab_worker.engines.native.mix import mix_options
from ngxlab_worker.engines.open_loop import PROGRAM
from ngxlab_worker.nginx.files import make_files
from ngxlab_worker.sandbox import Sandbox
from scipy.stats import chisquare
from tests.support.native import ask
from tests.support.served import elapsed_s, nginx, target_of
from tests.support.specs import CONFIG
from tests.support.streams import open_loop, running

UNLIKELY = 0.001
"""The seeds are fixed: a right program is below this either always or never."""
NOWHERE = Target("127.0.0.1", (1,))
WEIGHTED = [
    MixedRequest(weight=5, path="/a"),
    MixedRequest(weight=3, path="/b?x=1", headers={"X-Kind": "b"}),
    MixedRequest(weight=1.5, path="/c/{n}.html", count=50),
    MixedRequest(weight=0.5, method="POST", path="/d", body="hello"),
    MixedRequest(weight=0.5, method="HEAD", path="/e/{n}", count=3, draw="sequence"),
]


def mixed(requests: Sequence[MixedRequest], per_s: float = 2000, **changes: Any) -> StreamSpec:
    return open_loop(per_s, requests=list(requests), **changes)


def drawn(folder: Path, spec: StreamSpec, count: int, shard: int = 0, shards: int = 1) -> list[tuple[int, int]]:
    """The first requests of a shard: the entry of the list, and the number in its path."""
    words = mix_options(spec, NOWHERE, folder / "mix")
    lines = ask(find_program(PROGRAM), "--print-mix", f"{count}:{shard}:{shards}", *words).splitlines()
    return [(int(entry), int(number)) for entry, number in map(str.split, lines)]


def zipf(count: int, exponent: float) -> np.ndarray:
    weights = np.arange(1, count + 1, dtype=float) ** -exponent
    found: np.ndarray = weights / weights.sum()
    return found


@pytest.mark.parametrize("shards", [2, 3, 7])
def test_the_order_is_the_same_whatever_the_number_of_processes(tmp_path: Path, shards: int) -> None:
    spec = mixed(WEIGHTED)
    parts = [drawn(tmp_path, spec, 100, shard, shards) for shard in range(shards)]
    union = [one for group in zip(*parts, strict=True) for one in group]
    assert union == drawn(tmp_path, spec, 100 * shards)
    assert union != drawn(tmp_path, mixed(WEIGHTED, requests_seed=2), 100 * shards)


def test_entries_come_by_weight_and_numbers_as_they_say(tmp_path: Path) -> None:
    found = drawn(tmp_path, mixed(WEIGHTED), 100_000)
    counts = Counter(entry for entry, _ in found)
    weights = np.array([one.weight for one in WEIGHTED])
    assert chisquare([counts[i] for i in range(5)], 100_000 * weights / weights.sum()).pvalue > UNLIKELY
    uniform = Counter(number for entry, number in found if entry == 2)
    assert sorted(uniform) == list(range(50))
    assert chisquare([uniform[n] for n in range(50)]).pvalue > UNLIKELY
    in_turn = [number for entry, number in found if entry == 4]
    assert in_turn == [i % 3 for i in range(len(in_turn))]


@pytest.mark.parametrize("exponent", [0.5, 1, 1.2, 3])
def test_numbers_by_zipf_are_as_frequent_as_their_rank_says(tmp_path: Path, exponent: float) -> None:
    count, size = 10_000, 200_000
    spec = mixed([MixedRequest(path="/{n}", count=count, draw="zipf", exponent=exponent)])
    numbers = np.array([number for _, number in drawn(tmp_path, spec, size)])
    seen, expected = np.bincount(numbers, minlength=count), size * zipf(count, exponent)
    ends = np.unique(np.searchsorted(np.cumsum(expected), np.arange(50, size - 49, 500)))  # at least five expected each
    groups = np.concatenate([[0], ends[ends > 0]])
    by_group, wanted = np.add.reduceat(seen, groups), np.add.reduceat(expected, groups)
    assert chisquare(by_group, wanted).pvalue > UNLIKELY


def test_ten_thousand_entries_are_drawn_alike(tmp_path: Path) -> None:
    spec = mixed([MixedRequest(path=f"/{i}", weight=1 + i % 3) for i in range(10_000)])
    counts = Counter(entry % 3 for entry, _ in drawn(tmp_path, spec, 60_000))
    shares = np.array([3334, 3333 * 2, 3333 * 3]) / (3334 + 3333 * 5)
    assert chisquare([counts[i] for i in range(3)], 60_000 * shares).pvalue > UNLIKELY


LOG = (
    "log_format asked '$request_method $request_uri $http_x_kind $request_length'; "
    "access_log @@folder@@/access.log asked;"
)


def logged_config(protocol: str, content: str = 'location / { return 200 "OK\\n"; }') -> str:
    config = CONFIG.replace("@@status_port@@;", "@@status_port@@; access_log off;").replace("access_log off;", LOG, 1)
    config = config.replace("access_log off;", "", 0).replace('location / { return 200 "OK\\n"; }', content)
    listener = "127.0.0.1:@@http_port@@"
    return config.replace(listener, f"{listener} http2") if protocol == "http/2" else config


def logged(folder: Path) -> list[str]:
    return (folder / "nginx" / "access.log").read_text().splitlines()


@pytest.mark.parametrize("protocol", ["http/1.1", "http/2"])
@pytest.mark.parametrize("threads", [1, 2])
def test_nginx_is_asked_for_what_is_drawn(
    agent_folder: Path, sandbox: Sandbox, tmp_path: Path, protocol: str, threads: int
) -> None:
    spec = mixed(WEIGHTED, protocol=protocol, threads=threads, headers={"X-Kind": "all"})
    with nginx(agent_folder, sandbox, logged_config(protocol)) as server:
        with running(spec, target_of(server), agent_folder, sandbox) as stream:
            stream.wait_for("completed", 3000)
            totals = stream.end()
        asked = Counter(line.rsplit(" ", 1)[0] for line in logged(agent_folder))
    assert totals.completed == totals.sent == asked.total()
    order = [shown(*one) for one in drawn(tmp_path, spec, totals.sent + 100)]
    if threads == 1:  # one process sends them in their order, so the log has the first of them
        assert asked == Counter(order[: totals.sent])
    counts = [asked[shown(0, 0)], asked[shown(1, 0)], sum(asked[shown(2, n)] for n in range(50)), asked[shown(3, 0)]]
    counts.append(sum(asked[shown(4, n)] for n in range(3)))
    assert sum(counts) == asked.total()
    assert chisquare(counts, totals.sent * np.array([5, 3, 1.5, 0.5, 0.5]) / 10.5).pvalue > UNLIKELY


def shown(entry: int, number: int) -> str:
    one = WEIGHTED[entry]
    return f"{one.method} {one.path.replace('{n}', str(number))} {one.headers.get('X-Kind', 'all')}"


@pytest.mark.parametrize("protocol", ["http/1.1", "http/2"])
def test_bodies_arrive_whole_whatever_else_is_sent(agent_folder: Path, sandbox: Sandbox, protocol: str) -> None:
    sizes = {"/small": 5, "/large": 900_000, "/n/0": 20_000}
    requests = [
        MixedRequest(method="PUT", path="/small", body="12345"),
        MixedRequest(method="PUT", path="/large", body_bytes=900_000),
        MixedRequest(method="PUT", path="/n/{n}", count=1, body_bytes=20_000),
    ]
    content = "client_max_body_size 2m; client_body_buffer_size 1m; "
    content += "location / { proxy_pass http://127.0.0.1:@@http_port.2@@; }"
    sink = "    server { listen 127.0.0.1:@@http_port.2@@; access_log off; "
    sink += "client_max_body_size 2m; location / { return 200; } }\n"
    config = logged_config(protocol, content).replace("$request_length", "$content_length", 1)
    config = config.replace("    server {", sink + "    server {", 1)
    with nginx(agent_folder, sandbox, config, ports=2) as server:
        target = Target(server.endpoint.address, tuple(server.endpoint.ports[:1]))
        with running(mixed(requests, 200, protocol=protocol), target, agent_folder, sandbox) as stream:
            stream.wait_for("completed", 100)
            totals = stream.end()
        lines = [line.split() for line in logged(agent_folder)]
    assert totals.completed == totals.sent == len(lines)
    assert {path for _, path, _, _ in lines} == set(sizes)
    assert {(path, int(length)) for _, path, _, length in lines} == set(sizes.items())


CACHE = (
    "location / { proxy_cache all; proxy_cache_valid 200 1h; proxy_pass http://127.0.0.1:@@http_port.2@@; "
    "proxy_cache_lock on; proxy_ignore_headers Cache-Control Expires; }"
)


COUNT, EXPONENT = 10_000, 1.0


def of_its_log(folder: Path) -> MixedRequest:
    """What ``ngxlab mix`` makes of a log of that law."""
    log = folder / "access.log"
    numbers = np.random.default_rng(7).choice(COUNT, 30_000, p=zipf(COUNT, EXPONENT))
    log.write_text("".join(f'- - - [-] "GET /item/{number} HTTP/1.1" 200 3 "-" "-"\n' for number in numbers))
    made = subprocess.run([sys.executable, "-m", "ngxlab_cli", "mix", str(log)], capture_output=True, check=True)
    (one,) = yaml.safe_load(made.stdout)["streams"][0]["requests"]
    return MixedRequest.model_validate(one)


@pytest.mark.parametrize("from_log", [False, True])
def test_an_endless_caches_hit_ratio_is_the_computed_one(
    agent_folder: Path, sandbox: Sandbox, tmp_path: Path, from_log: bool
) -> None:
    one = MixedRequest(path="/item/{n}", count=COUNT, draw="zipf", exponent=EXPONENT)
    spec = mixed([of_its_log(tmp_path) if from_log else one], 4000, connections=20)
    config = logged_config("http/1.1", CACHE).replace("$request_length", "$upstream_cache_status", 1)
    zone = "proxy_cache_path @@folder@@/cache levels=1:2 keys_zone=all:10m max_size=1g inactive=1h use_temp_path=off;"
    origin = '    server { listen 127.0.0.1:@@http_port.2@@; access_log off; return 200 "OK\n"; }\n'
    config = config.replace("    server {", f"    {zone}\n{origin}    server {{", 1)
    with nginx(agent_folder, sandbox, config, ports=2) as server:
        target = Target(server.endpoint.address, tuple(server.endpoint.ports[:1]))
        with running(spec, target, agent_folder, sandbox) as stream:
            stream.wait_for("completed", 12_000)
            stream.end()
        asked = [line.split() for line in logged(agent_folder)]
    n = len(asked)
    distinct = float((1 - (1 - zipf(COUNT, EXPONENT)) ** n).sum())
    hits = sum(status == "HIT" for _, _, _, status in asked) / n
    assert hits == pytest.approx(1 - distinct / n, abs=0.01)


def test_instants_stay_exact(agent_folder: Path, sandbox: Sandbox) -> None:
    spec = mixed(WEIGHTED, 2000, threads=2)
    with (
        nginx(agent_folder, sandbox) as server,
        running(spec, target_of(server), agent_folder, sandbox) as stream,
    ):
        stream.wait_for("completed", 2000)
        earliest = elapsed_s(stream)
        totals = stream.end()
        latest = elapsed_s(stream)
    assert totals.intended is not None
    assert (earliest - 0.05) * 2000 <= totals.intended <= latest * 2000 + 1
    assert totals.sent == totals.completed == totals.intended == stream.counted("schedule")


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (MixedRequest(path="/{n}"), "count of /{n} is missing"),
        (MixedRequest(path="/", count=5), "path of / has no {n}"),
        (MixedRequest(path="/{n}", count=1, body_bytes=70_000), "more than the 65,536 B"),
        (MixedRequest(path="/", headers={"A B": "x"}), "is not an HTTP header"),
    ],
)
def test_what_no_mix_can_have_is_refused(tmp_path: Path, one: MixedRequest, said: str) -> None:
    with pytest.raises(GeneratorError, match=said.replace("{n}", r"\{n\}")):
        mix_options(mixed([one]), NOWHERE, tmp_path / "mix")


ASKED = {"/": 40, "/css/main.css": 25, "/api/items?q={}": 15, "/item/{}": 12, "/users/{}/cart": 5, "/login?token={}": 3}


def test_a_log_becomes_a_mix_that_makes_the_same_log(agent_folder: Path, sandbox: Sandbox, tmp_path: Path) -> None:
    """``ngxlab mix`` reads 10,000 requests of a known mix; nginx's own log of what the engine then asks fits it."""
    log, draw = tmp_path / "access.log", random.Random(3)
    uris = [uri.format(draw.randrange(50)) for uri in draw.choices(list(ASKED), list(ASKED.values()), k=10_000)]
    lines = (f'10.1.2.3 - - [27/Nov/2026:08:00:00 +0000] "GET {uri} HTTP/1.1" 200 2000 "-" "-"\n' for uri in uris)
    log.write_text("".join(lines))
    made = subprocess.run([sys.executable, "-m", "ngxlab_cli", "mix", str(log)], capture_output=True, check=True)
    parts = yaml.safe_load(made.stdout)
    requests = [MixedRequest.model_validate(one) for one in parts["streams"][0]["requests"]]
    kinds = {uri: uri.split("?")[0].replace("{}", "{n}") for uri in ASKED}
    assert {one.path for one in requests} == set(kinds.values())
    assert {one.count for one in requests if one.numbered} == {50}

    config = logged_config("http/1.1", parts["nginx"]["server"])
    config = config.replace("$http_x_kind", "$body_bytes_sent", 1)
    with nginx(agent_folder, sandbox, config) as server:
        make_files(agent_folder / "nginx", [FileSet.model_validate(one) for one in parts["nginx"]["files"]], no_pause)
        with running(mixed(requests), target_of(server), agent_folder, sandbox) as stream:
            stream.wait_for("completed", 5000)
            totals = stream.end()
        asked = [line.split() for line in logged(agent_folder)]
    assert {size for _, _, size, _ in asked} == {"2000"}
    seen = Counter(re.sub(r"/\d+", "/{n}", path) for _, path, _, _ in asked)
    expected = {kinds[uri]: weight for uri, weight in ASKED.items()}
    assert seen.total() == totals.completed
    wanted = [seen.total() * weight / 100 for weight in expected.values()]
    assert chisquare([seen[path] for path in expected], wanted).pvalue > UNLIKELY


def no_pause() -> None:
    """Files are made at once."""
