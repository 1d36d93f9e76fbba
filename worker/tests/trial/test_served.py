"""What nginx did with requests, and its memory, in whole trials whose answer is known."""

import re
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from ngxlab.definition.nginx.config import render
from ngxlab.definition.validation import require
from ngxlab_contracts.telemetry import NginxMemory, ServedRequests
from ngxlab_contracts.trials import NginxSpec, TrialSpec
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.nginx.files import LIBRARY
from ngxlab_worker.trial.memory import nginx_memory
from tests.support.fake_backend import FakeBackend
from tests.support.records import TrialRecord
from tests.support.specs import NGINX, app_server, trial_spec
from tests.support.trials import assert_completed, nginx_total

CONNECTIONS, KEYS = 20, 2
PAGE_BYTES = 100_000
CACHE = """\
proxy_cache_path @@folder@@/cache keys_zone=pages:1m;
map $connection $half { default even; ~[13579]$ odd; }
upstream app { {{ servers("app") }} keepalive 64; }
"""
CACHED = """\
location / {
    proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection "";
    proxy_cache pages; proxy_cache_key $half; proxy_cache_valid 200 1h; proxy_cache_lock %s;
    proxy_cache_lock_timeout 1h; proxy_cache_lock_age 1h;
}
"""
SLOW = f'location / {{ limit_rate 400; return 200 "{400 * "x"}"; }}'
"""nginx sends 400 bytes at once, and the rest a second later."""


def served_spec(nginx: dict[str, Any], *, upstream: str = "", stream: dict[str, Any], measure_s: float) -> TrialSpec:
    """As the real server renders it."""
    servers = [{"key": "app", "slot": "target", "instances": 2, "server": upstream}] if upstream else []
    definition = require(
        {
            "question": "",
            "factors": [],
            "baseline": "only",
            "nginx": {"workers": 2, "worker_connections": 4096, "request_times": True, **nginx},
            "upstream_servers": servers,
            "streams": [{"key": "main", "connections": CONNECTIONS}],
            "plan": {"blocks": 1, "warmup_s": 0, "measure_s": 10},
        }
    )
    spec = trial_spec(stream={"connections": CONNECTIONS, **stream}, warmup_s=0, measure_s=measure_s)
    asked = NginxSpec(
        binary=NGINX,
        config=render(definition, definition.arms[0]),
        workers=2,
        files=definition.nginx.files,
        request_times=True,
        served=True,
        upstream_servers=["upstream.app"] if upstream else [],
    )
    server = app_server()
    slow = server.model_copy(update={"config": server.config.replace(PLAIN, upstream)})
    return spec.model_copy(update={"nginx": asked, "upstream_servers": [slow] if upstream else []})


PLAIN = 'location / { return 200 "instance $server_port\\n"; }'


def told(agent: Agent, backend: FakeBackend, spec: TrialSpec) -> tuple[TrialRecord, ServedRequests]:
    record = backend.add(spec)
    agent.execute(record.spec.trial_id)
    assert_completed(record)
    (served,) = [event for event in record.events if isinstance(event, ServedRequests)]
    assert sum(served.by_worker) == served.requests
    return record, served


def upstream_requests(record: TrialRecord) -> int:
    """As the upstream server counted them, less the agent's polls."""
    layouts = {layout.collector: layout for batch in record.batches for layout in batch.layouts}
    status = layouts["upstream_status.app"]
    frames = [frame for batch in record.batches for frame in batch.frames if frame.layout == status.id]
    column = [series.name for series in status.series].index("upstream_http_requests_total")
    return round((frames[-1].values[column] or 0) - (frames[0].values[column] or 0)) - (len(frames) - 1)


@pytest.mark.parametrize("lock", ["on", "off"])
def test_a_stampede_is_what_the_upstream_server_counted(namespaced: Agent, backend: FakeBackend, lock: str) -> None:
    """All connections ask at once for two new pages, which take a second."""
    nginx = {"http": CACHE, "server": CACHED % lock}
    record, served = told(namespaced, backend, served_spec(nginx, upstream=SLOW, stream={}, measure_s=4))
    assert set(served.cache) == {"miss", "hit"}
    assert served.cache["miss"] == upstream_requests(record)
    assert served.cache["hit"] == served.requests - served.cache["miss"]
    if lock == "on":  # a client that comes late on a busy machine waits for less, or not at all
        assert served.cache["miss"] == KEYS
        assert 0 < served.held <= CONNECTIONS - KEYS
    else:
        assert served.cache["miss"] > KEYS


def test_bodies_before_and_after_compression(
    namespaced: Agent, backend: FakeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of the requests are for a page that nginx compresses, as zlib does."""
    pages: list[bytes] = []
    folder = namespaced.settings.trials_root
    monkeypatch.setattr("ngxlab_worker.trial.load.Load._end", _looking_at(folder, pages))
    files = [{"folder": "pages", "count": 1, "size_bytes": PAGE_BYTES, "content": "html"}]
    nginx = {"files": files, "server": "location / { root @@folder@@/files; gzip on; default_type text/html; }"}
    asked = {"path": "/pages/0", "headers": {"Accept-Encoding": "gzip"}}
    _, served = told(namespaced, backend, served_spec(nginx, stream=asked, measure_s=1.2))
    packer = zlib.compressobj(1, wbits=31)
    packed = len(packer.compress(pages[0]) + packer.flush())
    assert served.compressed == served.requests > 0
    assert served.body_bytes / served.requests == pytest.approx(packed, rel=0.02)
    assert served.uncompressed_bytes / served.requests == pytest.approx(PAGE_BYTES, rel=0.02)


def _looking_at(folder: Path, pages: list[bytes]) -> Any:
    from ngxlab_worker.trial.load import Load

    ending = Load._end

    def end(load: Load) -> None:
        pages.extend(path.read_bytes() for path in folder.glob(f"*/{LIBRARY}/pages/0"))
        ending(load)

    return end


def test_one_connection_is_all_of_one_worker(namespaced: Agent, backend: FakeBackend) -> None:
    nginx = {"server": "keepalive_requests 1000000000; location / { return 204; }"}
    _, served = told(namespaced, backend, served_spec(nginx, stream={"connections": 1}, measure_s=1.2))
    assert served.by_worker == [served.requests, 0]
    assert served.cache == {}
    assert (served.compressed, served.body_bytes, served.uncompressed_bytes) == (0, 0, 0)


def memory(record: TrialRecord) -> tuple[NginxMemory, NginxMemory]:
    before, after = [event for event in record.events if isinstance(event, NginxMemory)]
    assert (before.at, after.at) == ("start", "end")
    assert before.workers == after.workers == 2
    return before, after


def test_a_shared_zone_grows_by_its_keys(namespaced: Agent, backend: FakeBackend) -> None:
    """A key of limit_req takes 128 bytes (nginx's documentation), and each request is one."""
    zone = "limit_req_zone $request_id zone=keys:4m rate=1000r/s;"
    nginx = {"http": zone, "server": "location / { limit_req zone=keys; root @@folder@@/files; try_files /x =204; }"}
    rate = {"engine": "open-loop", "open_loop": {"steps": [{"per_s": 2000, "duration_s": 60}]}}
    record, served = told(namespaced, backend, served_spec(nginx, stream=rate, measure_s=2))
    before, after = memory(record)
    grown = after.zones_bytes - before.zones_bytes
    assert 0.98 * 128 * served.requests <= grown <= 128 * nginx_total(record) + 65_536


def test_memory_of_idle_connections_is_what_workers_grew_by(
    namespaced: Agent, backend: FakeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two sources of the kernel at the same instants: anonymous pages by process, and by mapping."""
    anonymous: list[int] = []

    def reading(master: int, workers: Sequence[int], **at: Any) -> NginxMemory | None:
        anonymous.append(sum(_anonymous_bytes(pid) for pid in workers))
        return nginx_memory(master, workers, **at)

    monkeypatch.setattr("ngxlab_worker.trial.stage.nginx_memory", reading)
    held = {
        "engine": "idle-hold", "connections": 2000, "idle_hold": {"connect_per_s": 4000, "think_max_s": 60},
    }  # fmt: skip
    nginx = {"server": "location / { return 204; }"}
    record = backend.add(served_spec(nginx, stream=held, measure_s=2))
    namespaced.execute(record.spec.trial_id)
    assert_completed(record)
    before, after = memory(record)
    grown = after.own_bytes - before.own_bytes
    assert grown / 2000 > 200
    first, last = anonymous
    assert grown == pytest.approx(last - first, rel=0.15)


def _anonymous_bytes(pid: int) -> int:
    found = re.search(r"^RssAnon:\s+(\d+) kB$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    assert found
    return 1024 * int(found[1])
