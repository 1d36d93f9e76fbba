"""Which readings the charts of a part of a trial need."""

from collections.abc import Iterable

from ngxlab_contracts.telemetry import Event
from ngxlab_contracts.trials import TrialSpec

from ngxlab.analysis.series.derive import SeriesDeriver, Within
from ngxlab.metrics.blocks.reading import Span
from ngxlab.metrics.damage import LATEST_US
from ngxlab.metrics.sparse import WHOLE

_STEPS_BEFORE = 3
"""Of a line, so that its first point has its rate."""


def spans_of(spec: TrialSpec, events: Iterable[Event], within: Within, points: int) -> list[Span]:
    """The part itself is the last of them. Before it, what was read before the load began: baselines of derivations."""
    deriver = SeriesDeriver(spec)
    deriver.feed_lines([], [], [], events)
    began_us, origin_us = deriver.began_us, deriver.origin_us
    if began_us is None or origin_us is None:
        return [WHOLE]  # nothing is derived of what was before
    begin_s, end_s = within
    longest_ms = max(spec.sampling.interval_ms, spec.sampling.histogram_interval_ms)
    margin_us = _STEPS_BEFORE * max(longest_ms * 1000, round((end_s - begin_s) * 1e6) // points)
    begin_us, end_us = (max(-LATEST_US, min(LATEST_US, origin_us + round(at_s * 1e6))) for at_s in within)
    return [(-LATEST_US, began_us), (max(began_us, begin_us - margin_us), end_us + margin_us)]
