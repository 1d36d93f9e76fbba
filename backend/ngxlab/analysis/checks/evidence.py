"""How each result of a check is known to come when it should; docs/checks.md shows it.

A test of the worker (``worker/tests/checks``) holds this against the tests that are there.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from ngxlab.analysis.schemas import CheckSeverity


class Evidence(NamedTuple):
    """``how``: the fault that a test puts into a real trial; where no test can, why not."""

    how: str
    real: Literal["yes", "no", "on some machines"] = "yes"


_LOADED = "on a machine that is busy with other work, the check may end in its other severity"

EVIDENCE: Mapping[tuple[str, CheckSeverity], Evidence] = {
    ("generator-saturated", "error"): Evidence(f"wrk computes before each request, on one CPU; {_LOADED}"),
    ("generator-saturated", "warning"): Evidence("two processes outside the trial compute on wrk's CPU"),
    ("open-loop-behind", "error"): Evidence("3,000,000 requests/s are planned"),
    ("open-loop-behind", "warning"): Evidence(f"the generator is stopped for 0.4 s; {_LOADED}"),
    ("shared-cores", "warning"): Evidence("nginx and wrk are not pinned"),
    ("timeouts", "error"): Evidence("the upstream server is stopped for longer than the stream's timeout"),
    ("errors", "error"): Evidence("nginx answers 500"),
    ("concurrency", "error"): Evidence("60 connections with worker_connections 16"),
    ("ports", "error"): Evidence(
        "200 local ports, and nginx opens an upstream connection for each request; 200 local ports for 240 connections"
    ),
    ("ports", "info"): Evidence("1,000 local ports, and nginx closes each connection"),
    ("descriptors", "error"): Evidence(
        "more clients than connections; upstream connections that take what the clients leave; an upstream server with "
        "32 connections"
    ),
    ("nginx-log", "error"): Evidence("a worker gets SIGSEGV, beside one that a perturbation kills"),
    ("nginx-log", "info"): Evidence("a perturbation kills a worker"),
    ("accept-queue", "warning"): Evidence("backlog=1, and workers that are stopped"),
    ("conntrack", "error"): Evidence("85 % of the entries are taken by other traffic in the same network namespace"),
    ("page-cache", "error"): Evidence("cold files that are evicted too seldom"),
    ("page-cache", "warning"): Evidence("a process outside the trial evicts warm files"),
    ("cpu-frequency", "warning"): Evidence(
        "the machine's own governor, if it is not `performance`; no test changes it", real="on some machines"
    ),
    ("noisy-host", "warning"): Evidence("a process outside the trial computes"),
    ("environment", "error"): Evidence(
        "net.core.somaxconn is set between two trials, in their network namespace; the file of nginx is changed"
    ),
    ("keepalive-requests", "warning"): Evidence("keepalive_requests 10"),
    ("access-log", "error"): Evidence("one arm of two has a log"),
    ("access-log", "warning"): Evidence(
        "agents refuse a configuration whose log is not buffered, so that only old runs can have one", real="no"
    ),
    ("loopback", "info"): Evidence("generator and nginx on one host"),
    ("link-speed", "warning"): Evidence("other traffic fills a tunnel whose speed is 1 Mbit/s"),
    ("clock-skew", "warning"): Evidence("the clock of one of four hosts is 300 ms ahead, as its agent reads it"),
    ("steady", "warning"): Evidence("one of two workers is stopped in the middle of the window"),
    ("steady", "info"): Evidence("a perturbation stops one of two workers"),
    ("coordinated-omission", "info"): Evidence("a load in a closed loop"),
    ("accounting", "error"): Evidence("another client sends requests to the same nginx"),
    ("accounting", "warning"): Evidence(
        "the agent would have to be kept from reading wrk's last 100 ms, and from nothing else", real="no"
    ),
    ("config-live", "error"): Evidence("nginx.conf is changed during the trial"),
    ("sampler", "warning"): Evidence("the agent is stopped for 1 s"),
    ("start-spread", "error"): Evidence("one of two generator hosts is stopped while the load starts"),
    ("perturbations", "warning"): Evidence("a request of a perturbation is answered 503"),
    ("measurement-degraded", "error"): Evidence("wrk is stopped, so that it does not end"),
    ("measurement-degraded", "warning"): Evidence("the agent is stopped over the end of the window"),
    ("served-latency", "error"): Evidence("limit_req rejects most requests of wrk with 429"),
    ("served-rate", "error"): Evidence(
        "limit_req rejects most requests of wrk with 429, and the agent may read nothing of wrk's heap"
    ),
    ("limits-bypassed", "warning"): Evidence("a location with limit_req and limit_conn answers by return"),
    ("http-version", "warning"): Evidence("http2 at the listener that wrk loads over TLS"),
    ("compression", "warning"): Evidence(
        "gzip on files of random bytes, and on ones for which the stream does not send Accept-Encoding"
    ),
}
