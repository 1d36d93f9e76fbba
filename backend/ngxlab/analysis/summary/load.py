"""The fields of a trial's summary that all its streams make together."""

from collections.abc import Sequence
from typing import Literal, TypedDict

from ngxlab.analysis.schemas import LatencySummary, NginxCounts
from ngxlab.analysis.summary.streams import SummarisedStream, merged
from ngxlab.analysis.summary.totals import total

RateSource = Literal["histogram", "stub_status", "none"]


class LoadFields(TypedDict):
    """Named as in :class:`TrialSummary`."""

    requests: int | None
    requests_per_s: float | None
    rate_source: RateSource
    latency: LatencySummary | None
    latency_histogram: str | None


def load_fields(streams: Sequence[SummarisedStream], nginx: NginxCounts | None) -> LoadFields:
    """``streams``: without probes. Raises ValueError if their histograms have different precisions."""
    histogram = merged(streams)
    rate, source = _rate(streams, nginx)
    return LoadFields(
        requests=_requests(streams, nginx),
        requests_per_s=rate,
        rate_source=source,
        latency=histogram.summarise() if histogram is not None else None,
        latency_histogram=histogram.encode() if histogram is not None else None,
    )


def _rate(streams: Sequence[SummarisedStream], nginx: NginxCounts | None) -> tuple[float | None, RateSource]:
    """From the histograms only if all streams have one, as two sources would not add up."""
    rate = total([stream.adds_per_s for stream in streams])
    if rate is not None:
        return rate, "histogram"
    if nginx is not None:
        return nginx.requests / nginx.seconds, "stub_status"
    return None, "none"


def _requests(streams: Sequence[SummarisedStream], nginx: NginxCounts | None) -> int | None:
    requests = total([stream.summary.requests for stream in streams])
    if requests is not None:
        return requests
    return nginx.requests if nginx is not None else None
