"""One notation for what stands in one column: the ratios of a metric in all arms (docs/method-details.md, Numbers)."""

from collections.abc import Iterator, Sequence, Set

from ngxlab_verdict.numbers import column_has_factors

from ngxlab.analysis.schemas import ArmAnalysis, ArmMetric, Comparison
from ngxlab.analysis.verdict import numbers
from ngxlab.analysis.verdict.comparison import TOO_NOISY

Column = tuple[str | None, str]
"""(stream, or None for the whole arm; metric)"""


def in_one_notation(arms: Sequence[ArmAnalysis]) -> list[ArmAnalysis]:
    """A metric whose ratio is a factor in one arm (``2.4x``) has factors in all others (``1.05x``, not ``+5 %``)."""
    columns: dict[Column, list[tuple[float, float | None]]] = {}
    for column, one in (found for arm in arms for found in _ratios(arm)):
        high = None if one.ci_text == TOO_NOISY else one.ci_high
        columns.setdefault(column, []).append((one.estimate, high))
    factors = {column for column, ratios in columns.items() if len(ratios) > 1 and column_has_factors(ratios)}
    if not factors:
        return list(arms)
    return [
        arm.model_copy(
            update={
                "metrics": _written(arm.metrics, None, factors),
                "streams": [
                    one.model_copy(update={"metrics": _written(one.metrics, one.stream, factors)})
                    for one in arm.streams
                ],
            }
        )
        for arm in arms
    ]


def _ratios(arm: ArmAnalysis) -> Iterator[tuple[Column, Comparison]]:
    of_streams = ((stream.stream, one) for stream in arm.streams for one in stream.metrics)
    for stream, one in (*((None, one) for one in arm.metrics), *of_streams):
        if one.comparison is not None and one.comparison.scale == "ratio":
            yield (stream, one.metric), one.comparison


def _written(metrics: Sequence[ArmMetric], stream: str | None, factors: Set[Column]) -> list[ArmMetric]:
    return [_in_factors(one) if (stream, one.metric) in factors else one for one in metrics]


def _in_factors(one: ArmMetric) -> ArmMetric:
    found = one.comparison
    if found is None:
        return one
    text, ci_text = numbers.estimate_texts(found.estimate, found.ci_low, found.ci_high, ratio=True, factors=True)
    changes = {"text": text, "ci_text": TOO_NOISY if found.ci_text == TOO_NOISY else ci_text}
    return one.model_copy(update={"comparison": found.model_copy(update=changes)})
