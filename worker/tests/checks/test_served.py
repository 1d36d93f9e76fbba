"""An nginx that rejects requests, in the face of an engine that has one histogram for all responses."""

import pytest
from ngxlab_contracts.trials import TrialSpec
from ngxlab_worker.engines.wrk import rejections
from tests.checks.bench import Bench, fires
from tests.support.specs import CONFIG, trial_spec
from tests.support.streams import open_loop

LIMITED = CONFIG.replace(
    "access_log off;",
    "access_log off; limit_req_zone $server_addr zone=one:1m rate=20r/s; limit_req_status 429;",
).replace(
    'location / { return 200 "OK\\n"; }',
    "location / { limit_req zone=one burst=5 nodelay; limit_req_log_level info; empty_gif; }",
)


def limited(**stream: object) -> TrialSpec:
    """20 requests/s are served, and whatever comes above is expected to be rejected."""
    return trial_spec(config=LIMITED, stream={"connections": 4, "rejected_statuses": [429], **stream})


def test_rejections_in_the_latency_of_wrk(bench: Bench) -> None:
    trial = bench.run(limited())
    assert "rejected responses" in fires(trial.results, "served-latency", "error")
    assert trial.results["served-rate"].severity == trial.results["errors"].severity == "pass"
    assert trial.summary.requests_per_s is not None
    assert trial.summary.requests_per_s < 100


def test_rejections_that_nobody_counts(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rejections, "LARGEST_HEAP", 0)
    results = bench.run(limited()).results
    assert "the rate of stream main" in fires(results, "served-rate", "error")
    assert "the latency of stream main" in fires(results, "served-latency", "error")


def test_an_engine_that_tells_them_apart(bench: Bench) -> None:
    stream = open_loop(200, connections=4, rejected_statuses=[429])
    results = bench.run(limited().model_copy(update={"streams": [stream]})).results
    assert results["served-latency"].severity == results["served-rate"].severity == "pass"
    assert "rejected responses are apart" in results["served-latency"].message
