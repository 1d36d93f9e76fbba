"""Which comparisons stand in a run's headline: what its load lets vary, and whatever else is claimed."""

from collections.abc import Mapping, Sequence

from ngxlab.analysis.schemas import TrialSummary, VerdictSentence

_ALWAYS_BY_ENGINE: Mapping[str, str] = {
    "wrk": "requests_per_s",
    "open-loop": "latency_p99_us",
    "idle-hold": "worker_rss_growth_bytes",
}
"""What a load cannot decide by itself: a closed loop's rate, an open loop's latency, what held connections cost."""

_WHEN_CLAIMED = frozenset({"latency_p99_us", "latency_stdev_us", "worker_cpu_cv"})
_OF_STREAMS_WHEN_CLAIMED = frozenset({"requests_per_s", "latency_p99_us"})
_CLAIMS = frozenset({"better", "worse"})


def headline_statements(sentences: Sequence[VerdictSentence], trials: Sequence[TrialSummary]) -> list[VerdictSentence]:
    """Claims before what stays open. A rate is told only of streams whose plan does not set it."""
    engines = {stream.stream: stream.engine for trial in trials for stream in trial.streams if not stream.probe}
    always = _always(set(engines.values()))
    said = [sentence for sentence in sentences if _is_said(sentence, always, engines)]
    return sorted(said, key=lambda sentence: sentence.verdict not in _CLAIMS)


def _always(engines: set[str]) -> str:
    """wrk's rate if there is a wrk; a trial without streams is one of wrk that failed."""
    return next((metric for engine, metric in _ALWAYS_BY_ENGINE.items() if engine in engines), "requests_per_s")


def _is_said(sentence: VerdictSentence, always: str, engines: Mapping[str, str]) -> bool:
    claimed = sentence.verdict in _CLAIMS
    if sentence.stream is not None:
        planned = sentence.metric == "requests_per_s" and engines.get(sentence.stream, "wrk") != "wrk"
        return claimed and sentence.metric in _OF_STREAMS_WHEN_CLAIMED and not planned
    return sentence.metric == always or (claimed and sentence.metric in _WHEN_CLAIMED)
