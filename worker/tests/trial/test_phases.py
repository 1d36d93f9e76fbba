"""Where the time of a request goes, in whole trials whose answer is known."""

import re
from typing import Any

from ngxlab_contracts.profiles import Phases
from ngxlab_contracts.trials import PHASES_FORMAT, Responder, TrialSpec, UpstreamServerSpec
from ngxlab_worker.agent.agent import Agent
from tests.support.fake_backend import FakeBackend
from tests.support.specs import CONFIG, NGINX, PROXY_CONFIG, trial_spec
from tests.support.trials import assert_completed

LOGGED = (
    "map $request_time $ngxlabread { default $request_time; }"
    f" log_format ngxlabphases '{PHASES_FORMAT}';"
    " access_log @@folder@@/phases.log ngxlabphases buffer=64k flush=1s;"
)
WAIT_MS = 20
"""Of the slow upstream server: it speaks FastCGI."""
FASTCGI = PROXY_CONFIG.replace(
    'proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection "";',
    "fastcgi_pass app; fastcgi_keep_conn on; fastcgi_param SCRIPT_NAME $uri;",
).replace("proxy_ignore_headers", "fastcgi_ignore_headers")
OPEN = {"engine": "open-loop", "connections": 20, "open_loop": {"steps": [{"per_s": 100, "duration_s": 60}]}}


def logging_spec(config: str, **changes: Any) -> TrialSpec:
    """nginx logs phases, but not those of its status page."""
    config = config.replace("access_log off;", LOGGED, 1)
    config = config.replace("@@status_port@@;", "@@status_port@@; access_log off;")
    config = re.sub(r"(@@http_port@@[^;]*;)", r"\1 set $ngxlabseen $ngxlabread;", config, count=1)
    spec = trial_spec(config=config, **changes)
    assert spec.nginx is not None
    return spec.model_copy(update={"nginx": spec.nginx.model_copy(update={"phases": True})})


def behind(spec: TrialSpec, server: UpstreamServerSpec) -> TrialSpec:
    assert spec.nginx is not None
    nginx = spec.nginx.model_copy(update={"upstream_servers": ["upstream.app"]})
    return spec.model_copy(update={"nginx": nginx, "upstream_servers": [server]})


def slow(delay_ms: float) -> UpstreamServerSpec:
    responder = Responder(response_bytes=100, delay_ms=delay_ms)
    return UpstreamServerSpec(key="app", binary=NGINX, config="", instances=1, protocol="fastcgi", responder=responder)


def told(agent: Agent, backend: FakeBackend, spec: TrialSpec) -> Phases:
    record = backend.add(spec)
    agent.execute(record.spec.trial_id)
    assert_completed(record)
    (phases,) = [event for event in record.events if isinstance(event, Phases)]
    assert sum(one.sum_ms for one in phases.phases.values()) == phases.whole.sum_ms
    return phases


def medians(phases: Phases) -> dict[str, int]:
    """Of each phase: in a busy machine's moments a mean may be anything."""
    every = {name: [ms for ms, count in zip(one.ms, one.counts, strict=True) for _ in range(count)]
             for name, one in phases.phases.items()}  # fmt: skip
    return {name: sorted(ms)[len(ms) // 2] for name, ms in every.items()}


def test_a_slow_upstream_server_is_waited_for(namespaced: Agent, backend: FakeBackend) -> None:
    """20 ms more: all of it, and nothing else, in the first byte of its answer."""
    quick, late = (
        told(namespaced, backend, behind(logging_spec(FASTCGI, stream=OPEN, measure_s=2.0), slow(ms)))
        for ms in (0, WAIT_MS)
    )
    more = {name: ms - medians(quick)[name] for name, ms in medians(late).items()}
    assert more.pop("first_byte") >= WAIT_MS - 1
    assert all(ms < WAIT_MS / 2 for ms in more.values())


def test_a_slow_client_shows_in_writing(namespaced: Agent, backend: FakeBackend) -> None:
    """64 kB, of which the kernel takes a part at once, at 100 kB/s."""
    answer = f'set $p "{4_000 * "x"}"; location / {{ return 200 "{16 * "$p"}"; }}'
    config = CONFIG.replace('location / { return 200 "OK\\n"; }', answer)
    config = config.replace("@@http_port@@;", "@@http_port@@ sndbuf=8k;")
    spec = logging_spec(config, stream={**OPEN, "client": {"read_bytes_per_s": 100_000}}, measure_s=2.0)
    took = medians(told(namespaced, backend, spec))
    assert took.pop("write") > 100
    del took["open"]
    assert all(ms < 50 for ms in took.values())
