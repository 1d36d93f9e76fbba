"""Trials whose upstream groups change while nginx runs, by Lua and by reloading; only the backend is a fake."""

from typing import Any

import pytest
from ngxlab.definition.nginx.config import nginx_modules, render
from ngxlab.definition.nginx.dynamic_upstreams import upstream_spec
from ngxlab.definition.resolve import resolve
from ngxlab.definition.validation import require
from ngxlab_contracts.config_test import ArmConfig, ConfigTestSpec
from ngxlab_contracts.perturbations import Churn, Every, Once, PerturbationSpec, SignalNginx
from ngxlab_contracts.telemetry import ActionEvent
from ngxlab_contracts.trials import NginxSpec, TrialSpec
from ngxlab_worker.agent.agent import Agent
from ngxlab_worker.config_test import ConfigTestContext, run_config_test
from ngxlab_worker.confinement import default_bounds
from tests.support.fake_backend import FakeBackend
from tests.support.records import TrialRecord
from tests.support.specs import NGINX, app_server, trial_spec
from tests.support.trials import artefacts, assert_completed, assert_nothing_left, result_of

WORKERS = 2


def nginx_spec(through: str, nodes: int, **upstreams: Any) -> NginxSpec:
    """As the real upstream server renders it."""
    groups = [{"key": "app", "nodes": 2, "server": "app"}, {"key": "changing", "nodes": nodes, "server": "app"}]
    passing = 'proxy_pass {{ upstream("%s") }}; proxy_http_version 1.1; proxy_set_header Connection "";'
    definition = require(
        {
            "question": "",
            "factors": [],
            "baseline": "only",
            "nginx": {
                "workers": WORKERS,
                "worker_connections": 1024,
                "server": f"location / {{ {passing % 'app'} }} location /changing {{ {passing % 'changing'} }}",
                "upstreams": {"through": through, "groups": groups, "read_interval_ms": 100, **upstreams},
            },
            "upstream_servers": [{"key": "app", "slot": "target", "instances": 2, "server": "return 204;"}],
            "streams": [{"key": "main", "connections": 10}],
            "plan": {"blocks": 1, "warmup_s": 0, "measure_s": 1},
        }
    )
    arm = resolve(definition, definition.arms[0])
    return NginxSpec(
        binary=NGINX,
        config=render(definition, definition.arms[0]),
        workers=WORKERS,
        upstream_servers=["upstream.app"],
        modules=nginx_modules(arm.nginx),
        upstreams=upstream_spec(arm),
    )


def churned(through: str, nodes: int, **upstreams: Any) -> TrialSpec:
    churn = PerturbationSpec(
        key="churn", when=Every(every_s=0.25, from_s=0.2, until_s=1.1), action=Churn(group="changing")
    )
    spec = trial_spec(measure_s=1.6, stream={"path": "/changing"})
    return spec.model_copy(
        update={
            "nginx": nginx_spec(through, nodes, **upstreams),
            "upstream_servers": [app_server()],
            "perturbations": [churn],
        }
    )


def actions(record: TrialRecord) -> list[ActionEvent]:
    return [event for event in record.events if isinstance(event, ActionEvent)]


@pytest.mark.parametrize("through", ["lua", "reload"])
def test_groups_are_filled_and_changed(agent: Agent, backend: FakeBackend, through: str) -> None:
    record = backend.add(churned(through, 30))
    agent.execute(record.spec.trial_id)

    assert_completed(record)
    printed = result_of(record).printed
    assert printed is not None
    assert printed.requests > 100
    assert (printed.errors_status, printed.errors_timeout, printed.errors_connect) == (0, 0, 0)
    done = actions(record)
    assert len(done) == 4
    assert all(event.ok for event in done), [event.detail for event in done]
    assert [event.status for event in done] == [200 if through == "lua" else None] * 4
    assert [event.detail.split(",")[0] for event in done] == ["29 nodes", "30 nodes", "29 nodes", "30 nodes"]
    assert "@@" not in artefacts(record)["nginx.conf"]
    assert_nothing_left(agent)


def test_a_large_group_is_filled_before_the_trial_is_ready(agent: Agent, backend: FakeBackend) -> None:
    record = backend.add(churned("lua", 10_000))
    agent.execute(record.spec.trial_id)

    assert_completed(record)
    done = actions(record)  # on a busy machine one may still be at work when the next is due
    assert any(event.ok for event in done)
    assert all(event.ok or event.skipped for event in done), [event.detail for event in done]
    printed = result_of(record).printed
    assert printed is not None
    assert printed.errors_status == 0


def test_a_change_that_takes_too_long_is_said(agent: Agent, backend: FakeBackend) -> None:
    spec = churned("lua", 30, lock_us_per_node=100_000)
    (churn,) = spec.perturbations
    brief = churn.model_copy(update={"action": Churn(group="changing", timeout_s=0.1)})
    record = backend.add(spec.model_copy(update={"perturbations": [brief]}))
    agent.execute(record.spec.trial_id)

    done = actions(record)
    assert done
    assert not done[0].ok
    assert done[0].detail == "no answer within 0.1 s"
    assert_nothing_left(agent)


def test_a_reload_that_does_not_end_ends_with_the_load(namespaced: Agent, backend: FakeBackend) -> None:
    spec = churned("reload", 30)
    stopped = SignalNginx(signal="STOP", to="master", resume_after_s=60)
    perturbations = [
        PerturbationSpec(key="stop", when=Once(at_s=0), action=stopped),
        PerturbationSpec(key="churn", when=Once(at_s=0.2), action=Churn(group="changing", timeout_s=60)),
    ]
    record = backend.add(spec.model_copy(update={"perturbations": perturbations}))
    namespaced.execute(record.spec.trial_id)

    assert_completed(record)
    details = {action.perturbation: action.detail for action in actions(record)}
    assert details["churn"] == "the load ended before all workers were new"
    assert_nothing_left(namespaced)


def test_upstream_servers_are_sampled_by_themselves(agent: Agent, backend: FakeBackend) -> None:
    spec = churned("lua", 4)
    # The first reading is before the load, the last after wrk has ended: between them is all that it asked for.
    resting = spec.timing.model_copy(update={"cooldown_s": 0.3})
    record = backend.add(spec.model_copy(update={"timing": resting}))
    agent.execute(record.spec.trial_id)

    layouts = {layout.collector: layout for batch in record.batches for layout in batch.layouts}
    status, own = layouts["upstream_status.app"], layouts["stub_status"]
    assert not {series.name for series in status.series} & {series.name for series in own.series}
    assert {tuple(series.labels.items()) for series in status.series} == {(("upstream", "app"),)}
    frames = [frame for batch in record.batches for frame in batch.frames if frame.layout == status.id]
    column = [series.name for series in status.series].index("upstream_http_requests_total")
    printed = result_of(record).printed
    assert printed is not None
    served = (frames[-1].values[column] or 0) - (frames[0].values[column] or 0)
    assert served == pytest.approx(printed.requests + len(frames) - 1, rel=0.02)


@pytest.mark.parametrize("through", ["lua", "reload"])
def test_nginx_judges_the_configuration_without_its_backends(agent: Agent, through: str) -> None:
    record = trial_spec()
    spec = ConfigTestSpec(test_id=record.trial_id, arms=[ArmConfig(arm="only", nginx=nginx_spec(through, 30))])
    context = ConfigTestContext(
        agent.settings.trials_root, agent.sandbox, default_bounds(agent.settings.folder), lambda: False
    )
    result = run_config_test(spec, context)
    assert result.failure is None
    assert [(verdict.accepted, verdict.findings) for verdict in result.verdicts] == [(True, [])]
