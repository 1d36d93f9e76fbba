"""What the nginx of each upstream server counts, without the polls themselves."""

from collections.abc import Iterator

from ngxlab.analysis.series.derivations.declaration import series
from ngxlab.analysis.series.derivations.step import MISSING, Line, Step, at_least_zero

_SEEN_BY_POLL = {"active": 1.0, "reading": 0.0, "writing": 1.0, "waiting": 0.0}


@series("upstream_connections", "upstream_connections_active")
def connections(step: Step) -> Iterator[Line]:
    for state, own in _SEEN_BY_POLL.items():
        for labels, value in step.gauges(f"upstream_connections_{state}"):
            line = f"{labels['upstream']} {state}"
            yield Line("upstream_connections", line, at_least_zero(value - own))


@series("upstream_requests_per_s", "upstream_http_requests_total")
def requests(step: Step) -> Iterator[Line]:
    polls = {labels["upstream"]: rate for labels, rate in step.rates("upstream_stub_status_polls_total")}
    for labels, counted in step.rates("upstream_http_requests_total"):
        polled = polls.get(labels["upstream"], MISSING)
        yield Line("upstream_requests_per_s", labels["upstream"], at_least_zero(counted - polled))
