"""What nginx counts itself (stub_status), without the polls themselves."""

from collections.abc import Iterator

from ngxlab.analysis.series.derivations.step import Line, Step

_SEEN_BY_POLL = {"active": 1.0, "reading": 0.0, "writing": 1.0, "waiting": 0.0}
"""A poll counts itself as an active connection that writes its response."""


def requests(step: Step) -> Iterator[Line]:
    counted, polls = step.rate("nginx_http_requests_total"), step.rate("ngxlab_stub_status_polls_total")
    value = max(0.0, counted - polls) if counted is not None and polls is not None else None
    yield Line("requests_per_s_nginx", "nginx", value)


def connections(step: Step) -> Iterator[Line]:
    for state, own in _SEEN_BY_POLL.items():
        value = step.gauge(f"nginx_connections_{state}")
        yield Line("nginx_connections", state, None if value is None else max(0.0, value - own))


def accepts(step: Step) -> Iterator[Line]:
    yield Line("accepts_per_s", "accepts", step.rate("nginx_connections_accepted_total"))
