"""A trial whose connections are WebSockets: what nginx counts of them is not taken for messages."""

from ngxlab.recipes.registry import recipe
from ngxlab_worker.agent.this_host import describe_agents_host
from tests.checks.bench import Bench
from tests.checks.test_recipes import short_trial


def test_websockets_that_are_held(bench: Bench) -> None:
    experiment = recipe("websocket-read-timeout").experiment
    spec = short_trial(experiment, "long", describe_agents_host(bench.agent.settings))
    judged = bench.run(spec)
    values, (stream,) = judged.summary.metric_values, judged.summary.streams
    assert stream.accounting is not None
    assert stream.accounting.stub_requests is None
    assert judged.results["accounting"].severity == "pass"
    assert judged.results["concurrency"].severity == "pass"
    assert "a WebSocket is one request" in str(judged.results["keepalive-requests"].message)
    assert values["connections_held"] == 15
    assert (values["generator_reconnects"], values["connections_per_1000_requests"]) == (0, 0)
    memory, each = values["worker_rss_bytes"], values["worker_rss_bytes_per_connection"]
    assert memory is not None
    assert each == memory / 15
    assert values.get("memory_bytes_per_connection") is None
