"""What the nginx of each upstream server counts, without the polls themselves."""

from collections.abc import Iterator

from ngxlab.analysis.series.derivations.declaration import series
from ngxlab.analysis.series.derivations.step import MISSING, Line, Step, at_least_zero

_SEEN_BY_POLL = {"active": 1.0, "reading": 0.0, "writing": 1.0, "waiting": 0.0}


@series(
    "upstream_connections",
    reads=("upstream_connections_active",),
    order=150,
    title="Connections of upstream servers",
    unit="connections",
    description="Connections by state as each upstream server's nginx counts them, without the poll itself.",
)
def connections(step: Step) -> Iterator[Line]:
    for state, own in _SEEN_BY_POLL.items():
        for labels, value in step.gauges(f"upstream_connections_{state}"):
            line = f"{labels['upstream']} {state}"
            yield Line("upstream_connections", line, at_least_zero(value - own))


@series(
    "upstream_requests_per_s",
    reads=("upstream_http_requests_total",),
    order=140,
    title="Requests per second of upstream servers",
    unit="requests/s",
    description="Increase of each upstream server's own count, without the agent's polls.",
)
def requests(step: Step) -> Iterator[Line]:
    polls = {labels["upstream"]: rate for labels, rate in step.rates("upstream_stub_status_polls_total")}
    for labels, counted in step.rates("upstream_http_requests_total"):
        polled = polls.get(labels["upstream"], MISSING)
        yield Line("upstream_requests_per_s", labels["upstream"], at_least_zero(counted - polled))
