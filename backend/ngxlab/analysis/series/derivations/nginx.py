"""What nginx counts itself (stub_status), without the polls themselves."""

from collections.abc import Iterator

from ngxlab.analysis.series.derivations.declaration import series
from ngxlab.analysis.series.derivations.step import Line, Step, at_least_zero

_SEEN_BY_POLL = {"active": 1.0, "reading": 0.0, "writing": 1.0, "waiting": 0.0}
"""A poll counts itself as an active connection that writes its response."""


@series("requests_per_s_nginx", "nginx_http_requests_total")
def requests(step: Step) -> Iterator[Line]:
    counted, polls = step.rate("nginx_http_requests_total"), step.rate("ngxlab_stub_status_polls_total")
    yield Line("requests_per_s_nginx", "nginx", at_least_zero(counted - polls))


@series("nginx_connections", "nginx_connections_active")
def connections(step: Step) -> Iterator[Line]:
    for state, own in _SEEN_BY_POLL.items():
        yield Line("nginx_connections", state, at_least_zero(step.gauge(f"nginx_connections_{state}") - own))


@series("accepts_per_s", "nginx_connections_accepted_total")
def accepts(step: Step) -> Iterator[Line]:
    yield Line("accepts_per_s", "accepts", step.rate("nginx_connections_accepted_total"))
