"""Which comparisons a run's headline states (docs/method.md, Headline)."""

from collections.abc import Mapping, Sequence

from ngxlab_contracts.engines import DEFAULT_ENGINE, ENGINES, EngineName, Loop

from ngxlab.analysis.schemas import TrialSummary, VerdictSentence

_ALWAYS_BY_LOOP: Mapping[Loop, str] = {
    "closed": "requests_per_s",
    "open": "latency_p99_us",
    "hold": "worker_rss_growth_bytes",
}
"""The result that each load measures: a closed loop's rate, an open loop's latency, idle connections' memory."""

_WHEN_CLAIMED = frozenset({"latency_p99_us", "latency_stdev_us", "worker_cpu_cv"})
_OF_STREAMS_WHEN_CLAIMED = frozenset({"requests_per_s", "latency_p99_us"})
_CLAIMS = frozenset({"better", "worse"})


def headline_statements(sentences: Sequence[VerdictSentence], trials: Sequence[TrialSummary]) -> list[VerdictSentence]:
    """Claims first, then what stays open. A stream's rate is stated only if the plan does not set it."""
    engines = {stream.stream: stream.engine for trial in trials for stream in trial.streams if not stream.probe}
    always = _always({ENGINES[engine].loop for engine in engines.values()})
    stated = [sentence for sentence in sentences if _is_stated(sentence, always, engines)]
    return sorted(stated, key=lambda sentence: sentence.verdict not in _CLAIMS)


def _always(loops: set[Loop]) -> str:
    """The rate if a stream is a closed loop, or if there is no stream: then the trials failed before they had one."""
    return next((metric for loop, metric in _ALWAYS_BY_LOOP.items() if loop in loops), "requests_per_s")


def _is_stated(sentence: VerdictSentence, always: str, engines: Mapping[str, EngineName]) -> bool:
    claimed = sentence.verdict in _CLAIMS
    if sentence.stream is not None:
        engine = ENGINES[engines.get(sentence.stream, DEFAULT_ENGINE)]
        planned = sentence.metric == "requests_per_s" and engine.rate_is_planned
        return claimed and sentence.metric in _OF_STREAMS_WHEN_CLAIMED and not planned
    return sentence.metric == always or (claimed and sentence.metric in _WHEN_CLAIMED)
