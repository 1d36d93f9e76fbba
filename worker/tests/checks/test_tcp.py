"""A real nginx that passes on connections, under the load of a stream, which speaks HTTP to what is behind it."""

from typing import Any

import pytest
from ngxlab.definition.schema.definition import Definition
from ngxlab_worker.agent.this_host import describe_agents_host
from tests.checks.bench import Bench, judged_together
from tests.checks.test_questions import NEVER_BY_LOAD
from tests.checks.test_recipes import short_trial

RAW: dict[str, Any] = {
    "question": "What does a larger buffer change?",
    "factors": [
        {
            "key": "buffer",
            "label": "proxy_buffer_size",
            "levels": [
                {"key": "small", "label": "4k", "variables": {"size": "4k"}},
                {"key": "large", "label": "64k", "variables": {"size": "64k"}},
            ],
        }
    ],
    "baseline": "small",
    "nginx": {
        "workers": 1,
        "worker_connections": 1024,
        "tcp": True,
        "http": 'upstream app {\n    {{ servers("app") }}\n}',
        "server": "proxy_pass app;\nproxy_buffer_size {{ size }};",
    },
    "upstream_servers": [
        {"key": "app", "slot": "upstream", "instances": 2, "behaviour": {"kind": "sink", "response_bytes": 100_000}}
    ],
    "streams": [{"key": "clients", "connections": 8}],
    "plan": {"blocks": 2, "warmup_s": 0, "measure_s": 1},
}


@pytest.mark.parametrize("tls", [False, True], ids=["in clear", "TLS"])
def test_connections_are_passed_on(bench: Bench, *, tls: bool) -> None:
    definition = Definition.model_validate(RAW | {"nginx": {**RAW["nginx"], "tls": tls}})
    inventory = describe_agents_host(bench.agent.settings)
    judged = {arm.key: bench.run(short_trial(definition, arm.key, inventory)) for arm in definition.arms}
    for one in judged.values():
        void = {key: result.message for key, result in one.results.items() if result.severity == "error"}
        assert {key: said for key, said in void.items() if key not in NEVER_BY_LOAD} == {}
        assert one.results["accounting"].severity == "pass", "two counts of the generator's"
        assert one.summary.requests
        assert one.summary.accounting is not None
        assert one.summary.accounting.stub_requests is None, "nginx sees no requests"
    assert {one.severity for one in judged_together(*judged.values()).values()} <= {"pass", "info", "warning"}
