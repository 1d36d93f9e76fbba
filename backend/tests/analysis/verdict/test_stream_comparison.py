"""Several streams: each is compared for itself."""

import pytest
from analysis.run_results import TEMPLATE, analyse, arm_of, summary
from ngxlab.analysis.schemas import TrialSummary


def of_streams(arm: str, block: int, **rates: tuple[float, float]) -> TrialSummary:
    """A trial with these streams: requests/s and p99 of each."""
    latency = TEMPLATE.latency
    assert latency is not None
    streams = [
        TEMPLATE.streams[0].model_copy(
            update={"stream": key, "requests_per_s": rate, "latency": latency.model_copy(update={"p99_us": p99})}
        )
        for key, (rate, p99) in rates.items()
    ]
    return summary(arm, block, sum(rate for rate, _ in rates.values()), streams=streams)


def test_each_of_several_streams_is_compared() -> None:
    """The whole hardly moves, as random hides what constant gains."""
    trials = [
        trial
        for block, noise in ((1, 0.99), (2, 1.0), (3, 1.01), (4, 1.0))
        for trial in (
            of_streams("on", block, random=(1000, 5000), constant=(8, 9000)),
            of_streams("rp", block, random=(1000 * noise, 5000), constant=(250 * noise, 900)),
        )
    ]
    analysis = analyse({"on": [None] * 4, "rp": [None] * 4}, extra=trials, primary=["constant.requests_per_s"])
    streams = arm_of(analysis, "rp").streams
    assert [stream.stream for stream in streams] == ["random", "constant"]
    assert [metric.metric for metric in streams[0].metrics] == ["requests_per_s", "latency_p50_us", "latency_p99_us"]
    constant = streams[1].metrics[0].comparison
    assert constant is not None
    assert constant.estimate == pytest.approx(250 / 8, rel=1e-3)
    assert [value.value for value in streams[1].metrics[0].values] == [250 * 0.99, 250, 250 * 1.01, 250]
    assert all(metric.comparison is None for metric in arm_of(analysis, "on").streams[0].metrics)
    assert (
        "Better: `reuseport` served 31.2 times as many requests/s on stream `constant` as `mutex on`"
        in analysis.headline
    )
    assert "p99" not in analysis.headline
    assert "on stream `random`" not in analysis.headline
    equivalent = next(
        one for one in analysis.stream_sentences if (one.stream, one.metric) == ("random", "requests_per_s")
    )
    assert equivalent.verdict == "equivalent"
    assert all(one.stream is None for one in analysis.sentences)


def test_a_single_stream_is_the_whole() -> None:
    analysis = analyse({"on": [100.0] * 2, "rp": [130, 131]})
    assert arm_of(analysis, "rp").streams == []
    assert analysis.stream_sentences == []
