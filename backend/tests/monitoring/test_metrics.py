"""What Prometheus reads of a real backend, and who may read it."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from uuid import uuid4

import httpx2
import pytest
import services
from harness import Backend
from ngxlab.core.config import Settings
from prometheus_client.parser import text_string_to_metric_families
from pydantic import SecretStr
from serving import serving

ask = partial(httpx2.request, timeout=60)  # a busy machine is no failure
MONITORING = Path(__file__).parents[3] / "docs" / "monitoring"
TOKEN = "of-prometheus-" + "x" * 16

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]


@pytest.fixture(scope="module")
def watched(migrated: Settings) -> Iterator[Backend]:
    settings = migrated.model_copy(update={"metrics_token": SecretStr(TOKEN), "port": services.free_port()})
    with serving(settings) as reached:
        yield reached


def scraped(backend: Backend) -> Samples:
    answer = ask("GET", f"{backend.url}/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    families = text_string_to_metric_families(answer.text)
    return {(one.name, frozenset(one.labels.items())): one.value for family in families for one in family.samples}


def value(samples: Samples, name: str, **labels: str) -> float:
    return samples.get((name, frozenset(labels.items())), 0.0)


def test_what_is_stored_and_answered_is_counted(watched: Backend) -> None:
    before = scraped(watched)
    person, agent, coordinator = watched.person(), watched.agent(), watched.coordinator()
    run = person.run(agent)
    trial_id = coordinator.begin(run["id"])
    agent.whole_trial(coordinator, trial_id)
    pulse = {"instance": str(uuid4()), "broker_age_s": 0}
    coordinator.client.post("/coordinator/pulse", json=pulse).raise_for_status()
    after = scraped(watched)

    def grown(name: str, **labels: str) -> float:
        return value(after, name, **labels) - value(before, name, **labels)

    assert grown("ngxlab_ingest_batches_total") == 6
    assert grown("ngxlab_ingest_rows_total", table="frame") == 4
    routes = {dict(labels)["route"] for name, labels in after if name == "ngxlab_http_requests_total"}
    [claim] = [route for route in routes if re.fullmatch(r"/agent/trials/\{[^}]+\}/claim", route)]
    assert grown("ngxlab_http_requests_total", method="POST", route=claim, status="200") == 1
    assert grown("ngxlab_runs", state="running") == 1
    assert after[("ngxlab_host_heartbeat_age_seconds", frozenset({("host", agent.name)}))] < 60
    assert value(after, "ngxlab_loop_age_seconds", loop="reconciler") < 60
    there = {name for name, _ in after}
    for file in ("grafana-product.json", "alerts.yml"):
        shown = set(re.findall(r"\b(?:ngxlab|process)_\w+", (MONITORING / file).read_text()))
        assert shown <= there, file
    assert ("ngxlab_queue_length", frozenset({("queue", "coordinator")})) in after
    assert value(after, "ngxlab_up", part="postgresql") == value(after, "ngxlab_up", part="redis") == 1


def test_open_streams_are_counted(watched: Backend) -> None:
    person, agent = watched.person(), watched.agent()
    run = person.run(agent)
    assert value(scraped(watched), "ngxlab_stream_subscribers") == 0
    with person.client.stream("GET", f"/runs/{run['id']}/live") as stream:
        lines = stream.iter_lines()
        assert next(lines) == "event: snapshot"
        assert value(scraped(watched), "ngxlab_stream_subscribers") == 1
    services.wait_until(lambda: value(scraped(watched), "ngxlab_stream_subscribers") == 0, "the stream's end")


def test_what_strangers_ask_for_makes_no_new_series(watched: Backend) -> None:
    ask("GET", f"{watched.url}/nothing")
    ask("BREW", f"{watched.url}/nothing")
    known = set(scraped(watched))
    for _ in range(5):
        ask("GET", f"{watched.url}/{uuid4()}")
        ask("GET", f"{watched.url}/api/v1/runs/{uuid4()}")
        ask(f"X{uuid4().hex[:6]}".upper(), f"{watched.url}/nothing")
    new = {str((name, labels)) for name, labels in set(scraped(watched)) - known}
    assert all("/runs/{run_id" in labels for labels in new)


def test_without_a_setting_there_is_no_such_page_and_a_wrong_token_is_refused(
    backend: Backend, watched: Backend
) -> None:
    assert ask("GET", f"{backend.url}/metrics").json()["code"] == "not-found"
    for headers in ({}, {"Authorization": "Bearer x"}, {"Authorization": f"Bearer {TOKEN}x"}):
        refused = ask("GET", f"{watched.url}/metrics", headers=headers)
        assert (refused.status_code, refused.headers["content-type"]) == (401, "application/problem+json")


def test_this_machine_may_read_it_where_that_is_set_but_not_through_a_proxy(migrated: Settings) -> None:
    settings = migrated.model_copy(update={"metrics_loopback": True, "port": services.free_port()})
    with serving(settings) as local:
        assert ask("GET", f"{local.url}/metrics").status_code == 200
        forwarded = ask("GET", f"{local.url}/metrics", headers={"X-Forwarded-For": "127.0.0.1"})
        assert forwarded.status_code == 404


def test_a_redis_that_is_away_is_a_metric_and_no_error(migrated: Settings) -> None:
    away = {"redis_url": SecretStr(f"redis://127.0.0.1:{services.free_port()}/0"), "metrics_token": SecretStr(TOKEN)}
    with serving(migrated.model_copy(update=away | {"port": services.free_port()})) as without:
        samples = scraped(without)
        assert value(samples, "ngxlab_up", part="redis") == 0
        assert value(samples, "ngxlab_up", part="postgresql") == 1
