"""A headline tells what the load lets vary, not what its plan sets."""

import pytest
from analysis.run_results import TEMPLATE
from ngxlab.analysis.schemas import TrialSummary, VerdictSentence
from ngxlab.analysis.verdict.headline import headline_statements
from ngxlab_contracts.engines import EngineName


def trial(*engines: tuple[EngineName, bool]) -> TrialSummary:
    """``engines``: of each stream, and whether it is a probe. Streams are called s0, s1, …"""
    (stream,) = TEMPLATE.streams
    streams = [
        stream.model_copy(update={"stream": f"s{i}", "engine": engine, "probe": probe})
        for i, (engine, probe) in enumerate(engines)
    ]
    return TEMPLATE.model_copy(update={"streams": streams})


def sentence(metric: str, verdict: str | None, stream: str | None = None) -> VerdictSentence:
    return VerdictSentence.model_validate(
        {"arm": "rp", "stream": stream, "metric": metric, "verdict": verdict, "text": f"{metric} {verdict}"}
    )


OPEN = [sentence(key, "inconclusive") for key in ("requests_per_s", "latency_p99_us", "worker_rss_growth_bytes")]


@pytest.mark.parametrize(
    ("engines", "told"),
    [
        ([("wrk", False)], "requests_per_s"),
        ([("open-loop", False)], "latency_p99_us"),
        ([("idle-hold", False)], "worker_rss_growth_bytes"),
        ([("wrk", False), ("open-loop", True)], "requests_per_s"),
        ([("open-loop", False), ("wrk", False)], "requests_per_s"),
        ([], "requests_per_s"),
    ],
)
def test_one_comparison_is_always_told(engines: list[tuple[EngineName, bool]], told: str) -> None:
    assert [one.metric for one in headline_statements(OPEN, [trial(*engines)])] == [told]


def test_claims_come_first() -> None:
    said = headline_statements([*OPEN, sentence("latency_stdev_us", "worse")], [trial(("wrk", False))])
    assert [one.metric for one in said] == ["latency_stdev_us", "requests_per_s"]


def test_a_rate_that_the_plan_sets_is_no_news_of_a_stream() -> None:
    sentences = [sentence("requests_per_s", "better", stream) for stream in ("s0", "s1")]
    said = headline_statements(sentences, [trial(("wrk", False), ("open-loop", False))])
    assert [one.stream for one in said] == ["s0"]
