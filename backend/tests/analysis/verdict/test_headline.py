"""A headline states the claims on primary metrics, and nothing else."""

import pytest
from analysis.run_results import analyse
from ngxlab.analysis.schemas import CheckResult, VerdictSentence
from ngxlab.analysis.verdict.claims import default_primary
from ngxlab.analysis.verdict.sentences import headline_statements
from ngxlab_contracts.engines import Loop

PRIMARY = ["requests_per_s", "latency_p99_us"]


def sentence(metric: str, verdict: str | None, family: str = "primary", stream: str | None = None) -> VerdictSentence:
    facts = {"arm": "rp", "stream": stream, "metric": metric, "family": family, "verdict": verdict}
    return VerdictSentence.model_validate(facts | {"text": f"{metric} {verdict}"})


@pytest.mark.parametrize(
    ("loops", "first"),
    [
        (["closed"], "requests_per_s"),
        (["open"], "latency_p99_us"),
        (["hold"], "worker_rss_growth_bytes"),
        (["open", "closed"], "requests_per_s"),
        ([], "requests_per_s"),
    ],
)
def test_the_load_decides_on_the_first_metric(loops: list[Loop], first: str) -> None:
    assert default_primary(loops)[0] == first


def test_claims_come_first_in_the_order_of_the_metrics() -> None:
    said = headline_statements([sentence("latency_p99_us", "worse"), sentence("requests_per_s", "equivalent")], PRIMARY)
    assert [one.metric for one in said] == PRIMARY


def test_what_stays_open_is_told_too() -> None:
    said = headline_statements([sentence("latency_p99_us", "undecided"), sentence("requests_per_s", None)], PRIMARY)
    assert [one.metric for one in said] == PRIMARY


def test_of_several_arms_those_that_are_decided_come_first() -> None:
    arms = [sentence("requests_per_s", verdict) for verdict in ("undecided", "worse", "better")]
    assert [one.verdict for one in headline_statements(arms, PRIMARY)] == ["worse", "better", "undecided"]


def test_exploratory_metrics_are_not_told_however_large() -> None:
    assert headline_statements([sentence("worker_cpu_cv", "higher", "exploratory")], PRIMARY) == []


def test_a_metric_of_one_stream_is_primary_by_its_name() -> None:
    said = headline_statements([sentence("requests_per_s", "undecided", stream="s0")], ["s0.requests_per_s"])
    assert [one.stream for one in said] == ["s0"]


def saturated(**changes: object) -> CheckResult:
    facts = {"number": 1, "key": "generator-saturated", "severity": "error", "title": "", "remedy": None}
    return CheckResult.model_validate(facts | {"message": "98 % of a core", "trial_ids": []} | changes)


RATES: dict[str, list[float | None]] = {"on": [100, 101, 99.5], "rp": [150, 152, 149]}


def test_an_error_voids_every_claim_and_the_headline_says_so() -> None:
    analysis = analyse(RATES, checks=[saturated()])
    assert analysis.statements == []
    assert analysis.headline.startswith("Not valid: the generator was saturated, in 6 of 6 trials: 98 % of a core.")
    assert {one.verdict for one in analysis.sentences if one.metric == "requests_per_s"} == {"not_valid"}
    for word in ("better", "more requests/s", "equivalent"):
        assert word not in analysis.headline


def test_an_error_may_void_some_claims_only() -> None:
    analysis = analyse(RATES, checks=[saturated(voids=["latency"])])
    assert [(one.metric, one.verdict) for one in analysis.statements] == [("requests_per_s", "better")]
    assert (
        analysis.not_valid
        == "Not valid: the generator was saturated, in 6 of 6 trials: 98 % of a core (voids latency)."
    )
    assert analysis.headline.startswith(f"{analysis.not_valid} Better: ")
