"""What nginx counts itself (stub_status), without the polls themselves."""

from collections.abc import Iterator

from ngxlab.analysis.series.derivations.declaration import series
from ngxlab.analysis.series.derivations.step import Line, Step, at_least_zero

_SEEN_BY_POLL = {"active": 1.0, "reading": 0.0, "writing": 1.0, "waiting": 0.0}
"""A poll counts itself as an active connection that writes its response."""


@series(
    "requests_per_s_nginx",
    reads=("nginx_http_requests_total",),
    order=110,
    title="Requests per second, counted by nginx",
    unit="requests/s",
    direction="more_is_better",
    description="Increase of stub_status requests, without the agent's own polls.",
)
def requests(step: Step) -> Iterator[Line]:
    counted, polls = step.rate("nginx_http_requests_total"), step.rate("ngxlab_stub_status_polls_total")
    yield Line("requests_per_s_nginx", "nginx", at_least_zero(counted - polls))


@series(
    "nginx_connections",
    reads=("nginx_connections_active",),
    order=120,
    title="nginx connections",
    unit="connections",
    description="Connections by state from stub_status, without the poll itself. Writing includes waiting for an "
    "upstream.",
)
def connections(step: Step) -> Iterator[Line]:
    for state, own in _SEEN_BY_POLL.items():
        yield Line("nginx_connections", state, at_least_zero(step.gauge(f"nginx_connections_{state}") - own))


@series(
    "accepts_per_s",
    reads=("nginx_connections_accepted_total",),
    order=130,
    title="Connections accepted per second",
    unit="connections/s",
    description="Increase of stub_status accepts. With keep-alive it should be near zero.",
)
def accepts(step: Step) -> Iterator[Line]:
    yield Line("accepts_per_s", "accepts", step.rate("nginx_connections_accepted_total"))
