"""What a host reports while a trial runs: sequence-numbered batches of frames, histograms and events.

All times are microseconds since the Unix epoch on the *host's* clock, advanced by CLOCK_MONOTONIC from one
anchor per trial, so that a stepped wall clock cannot distort a rate.
"""

from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field

from ngxlab_contracts.base import Items, Message, Natural, Real, Whole
from ngxlab_contracts.profiles import Phases, Profile
from ngxlab_contracts.streams import GoalBound
from ngxlab_contracts.trials import IpAddress, Port


class SeriesDef(Message):
    """One column of a layout. Name and unit follow node_exporter, e.g. ``node_cpu_seconds_total``, ``seconds``."""

    name: str
    labels: dict[str, str] = Field(default_factory=dict)
    unit: str
    kind: Literal["counter", "gauge"]


class Layout(Message):
    """The columns of a collector's frames. A collector whose columns change declares a new layout id."""

    id: Annotated[int, Field(strict=True, ge=0, le=32_767)]
    collector: str
    series: Items[SeriesDef]

    @cached_property
    def columns(self) -> dict[str, list[tuple[int, frozenset[tuple[str, str]]]]]:
        """By name of the series: their positions, each with its labels."""
        named: dict[str, list[tuple[int, frozenset[tuple[str, str]]]]] = {}
        for position, series in enumerate(self.series):
            named.setdefault(series.name, []).append((position, frozenset(series.labels.items())))
        return named


class Frame(Message):
    """One reading of one collector: raw values in the order of its layout, ``None`` where one was unreadable."""

    layout: Annotated[int, Field(strict=True, ge=0, le=32_767)]
    t_us: Whole
    took_us: Annotated[int, Field(strict=True, ge=0, le=2**31 - 1)]
    values: Items[Real | None]


StatusText = Annotated[str, Field(pattern=r"^[1-9]\d\d$")]
"""A status as a key of a JSON object."""

ClientPhase = Literal["connect", "handshake", "first_byte"]
"""A part of what a client waits for: until its connection is open, its handshake of TLS, and from the first write of a
request that is served until the first byte of the answer."""
Quantity = Literal["latency", "service", "schedule", "rejected", ClientPhase, "request_time", "upstream_time"]
"""What a histogram is of. Of a stream: ``latency`` of served requests (open loop: from the instant the request was
due), ``service`` (theirs, from the first write), ``rejected`` (latency of responses whose status serves nobody),
``schedule`` (how late the generator itself was), and each :data:`ClientPhase`. Of nginx, from its access
log (stream ``nginx``): ``request_time`` and ``upstream_time``."""


class LatencyInterval(Message):
    """The responses that one stream completed in ``[t0_us, t1_us)``: a delta histogram in microseconds.

    ``histogram`` is a base64 HdrHistogram V2 compressed payload, or ``None`` if no response completed. An engine that
    counts rejected responses, and cannot tell their latencies from the others', reports them as ``rejected`` without a
    histogram; then the histogram of ``latency`` holds them too, beyond its ``count``.
    """

    stream: str
    t0_us: Whole
    t1_us: Whole
    count: Natural
    histogram: Annotated[str, Field(max_length=262_144)] | None
    quantity: Quantity = "latency"


class PhaseEvent(Message):
    """The trial enters a phase at ``t_us``. ``measure`` and ``cooldown`` bound the measured window."""

    kind: Literal["phase"] = "phase"
    t_us: Whole
    phase: Literal["preparing", "ready", "warmup", "measure", "cooldown", "cleanup"]


class FingerprintEvent(Message):
    """What may change on a host between two trials, read before this one. The inventory has the same by the same
    names, but as of the run's start. ``programs``: path -> sha256 of each nginx and generator that the trial starts.
    """

    kind: Literal["fingerprint"] = "fingerprint"
    t_us: Whole
    boot_id: str
    kernel: str
    governor: str | None
    limits: dict[str, str]
    settings: dict[str, str]
    programs: dict[str, str]


class EndpointEvent(Message):
    """An endpoint of this host accepts connections now; the backend passes it on to the trial's other hosts."""

    kind: Literal["endpoint"] = "endpoint"
    t_us: Whole
    name: str
    address: IpAddress
    ports: Annotated[Items[Port], Field(min_length=1, max_length=1000)]


class ProcessEvent(Message):
    """A process of the trial. ``cpus_allowed`` is the kernel's list format, e.g. ``0-1``."""

    kind: Literal["process"] = "process"
    t_us: Whole
    role: Literal["nginx-master", "nginx-worker", "generator", "upstream"]
    index: Whole
    pid: Whole
    cpus_allowed: Annotated[str, Field(pattern=r"^(\d{1,5}(-\d{1,5})?(,\d{1,5}(-\d{1,5})?)*)?$", max_length=4096)]
    stream: str | None = None


class NoteEvent(Message):
    """Something the report must mention: a degraded measurement, a failing collector, a warning from nginx."""

    kind: Literal["note"] = "note"
    t_us: Whole
    severity: Literal["info", "warning", "error"]
    code: str = Field(description="stable identifier, e.g. wrk-memory-unreadable, collector-failed")
    message: str


class WrkPrint(Message):
    """wrk's own final report, parsed; its percentiles include wrk's own correction. Microseconds and bytes."""

    requests: Whole
    duration_s: Real
    bytes_read: Whole
    requests_per_s: Real
    latency_avg_us: Real | None
    latency_stdev_us: Real | None
    latency_max_us: Real | None
    latency_p50_us: Real | None = None
    latency_p75_us: Real | None = None
    latency_p90_us: Real | None = None
    latency_p99_us: Real | None = None
    errors_connect: Whole = 0
    errors_read: Whole = 0
    errors_write: Whole = 0
    errors_timeout: Whole = 0
    errors_status: Whole = Field(default=0, description="responses with a status from 400 on, which wrk counts")
    statuses: dict[StatusText, Whole] = Field(
        default_factory=dict, description="responses by status, where the stream names statuses that reject"
    )


class EngineTotals(Message):
    """What one of ngxlab's own engines counted from its start to its end.

    ``intended``: requests that were due; it and ``backlog_max`` are of an open loop only. ``unfinished``: sent or due,
    but not answered at the end. ``reconnects``: connections opened again after the first time. ``errors_read``: closed
    or reset in the middle of a response; ``errors_garbage``: a response that is not HTTP. ``errors_status``: responses
    that did not serve their request. ``statuses``: responses by status; ``None`` where the engine did not count them.

    HTTP/2 and HTTP/3 only: ``errors_reset``: requests that the server reset; ``errors_refused``: those that it reset
    because it had not processed them (REFUSED_STREAM, H3_REQUEST_REJECTED). ``goaways``: connections that the
    server ended in order; ``requests_repeated``: requests that it had not processed then, and that were sent again on
    another connection. They are ``sent`` once.

    ``handshakes``: complete ones of TLS; ``handshakes_resumed``: of these, those that resumed a session. 0 without TLS,
    and of engines that do not count them. ``early_requests``: those that were sent with the first message of a
    handshake (0-RTT), and that the server took so.

    ``aborted``: requests whose client went away before the whole answer, as its stream says; they are no errors.
    """

    sent: Whole
    completed: Whole
    connects: Whole
    reconnects: Whole
    bytes_read: Whole
    processes: Whole
    own_memory_bytes: Whole | None = None
    intended: Whole | None = None
    unfinished: Whole = 0
    backlog_max: Whole = 0
    connections_max: Whole = 0
    errors_connect: Whole = 0
    errors_read: Whole = 0
    errors_write: Whole = 0
    errors_timeout: Whole = 0
    errors_status: Whole = 0
    errors_garbage: Whole = 0
    errors_reset: Whole = 0
    errors_refused: Whole = 0
    goaways: Whole = 0
    requests_repeated: Whole = 0
    handshakes: Whole = 0
    handshakes_resumed: Whole = 0
    aborted: Whole = 0
    early_requests: Whole = 0
    statuses: dict[StatusText, Whole] | None = None


Totals = WrkPrint | EngineTotals
"""What an engine counted, whichever it was."""


class StreamResult(Message):
    """The end of a stream. Three counts of the same requests must agree (docs/checks.md, accounting).

    ``live_requests`` is what was read from wrk's memory over its whole life (``None`` if unreadable), rejected requests
    included; with a
    ``live_unavailable_reason`` it lacks what wrk did after the last reading. ``printed`` is
    what wrk printed; ``stub_requests`` is nginx's own count over the same time, without the agent's polls. It is set
    only if this is the trial's one stream and nginx is on the same host (otherwise see :class:`NginxTotal`).
    """

    kind: Literal["stream_result"] = "stream_result"
    t_us: Whole
    stream: str
    exit_code: Whole | None
    live_requests: Whole | None
    live_unavailable_reason: str | None = None
    stub_requests: Whole | None
    printed: WrkPrint | None
    totals: EngineTotals | None = None


class ActionEvent(Message):
    """One action of a perturbation: its ``number``-th, from 1. Reported when it has ended.

    The beginning of an interval is reported too, with ``ended_us`` None; the later event with the same number replaces
    it. ``status``: of the HTTP response, if there was one. ``skipped``: the action was due but left out, because the
    one before it had not ended.
    """

    kind: Literal["action"] = "action"
    t_us: Whole
    ended_us: Whole | None
    perturbation: str
    number: Annotated[int, Field(strict=True, ge=1, le=2**53)]
    action: str
    ok: bool
    skipped: bool = False
    status: Whole | None = None
    detail: Annotated[str, Field(max_length=500)] = ""


class NginxTotal(Message):
    """nginx's own count of the requests of all streams over the whole load, without the agent's polls; None if
    unreadable."""

    kind: Literal["nginx_total"] = "nginx_total"
    t_us: Whole
    requests: Whole | None


class TemporaryFiles(Message):
    """How often nginx's error log reports that a body went to a temporary file: the body of a client's request, or of
    an upstream's response. ``log_bytes``: size of the log itself, which was written to the disk too."""

    kind: Literal["temporary_files"] = "temporary_files"
    t_us: Whole
    requests: Whole
    responses: Whole
    log_bytes: Whole


CacheStatus = Literal["miss", "bypass", "expired", "stale", "updating", "revalidated", "hit"]
"""``$upstream_cache_status``, in nginx's order."""
MOST_WORKERS = 10_000


class ServedRequests(Message):
    """What nginx did with the ``requests`` that it ended in the ``seconds`` before ``t_us``, by its log.

    ``by_worker``: of each worker, those that served none included, the most first. ``cache``: how a cache answered, of
    those that asked one; ``held``: of these, those that took 0.45 s or more beside what an upstream server took. nginx
    looks twice a second whether a lock of its cache is free. ``compressed``: responses that nginx compressed.
    ``body_bytes``: of all responses, as sent; ``uncompressed_bytes``: what they were before, by ``$gzip_ratio``.
    """

    kind: Literal["served_requests"] = "served_requests"
    t_us: Whole
    seconds: Annotated[Real, Field(ge=0, le=1e6)]
    requests: Natural
    by_worker: Annotated[Items[Natural], Field(max_length=MOST_WORKERS)]
    cache: dict[CacheStatus, Natural]
    held: Natural
    compressed: Natural
    body_bytes: Natural
    uncompressed_bytes: Natural


class NginxMemory(Message):
    """Memory of the nginx under test, before the load and as the measured window ends. Proportional: a page that
    several processes use counts for each by its part. ``own_bytes``: heaps and stacks of the workers. ``zones_bytes``:
    shared zones, as far as they were ever used, of master and workers. ``program_bytes``: the program and its
    libraries, of the workers."""

    kind: Literal["nginx_memory"] = "nginx_memory"
    t_us: Whole
    at: Literal["start", "end"]
    workers: Natural
    own_bytes: Natural
    zones_bytes: Natural
    program_bytes: Natural


class Answer(Message):
    """nginx's answer to one request such as a stream sends, which the agent sent when the load had ended. ``headers``:
    by their names in lower case; several of one name are joined by a comma."""

    kind: Literal["answer"] = "answer"
    t_us: Whole
    stream: str
    status: Annotated[int, Field(strict=True, ge=100, le=999)]
    headers: Annotated[
        dict[Annotated[str, Field(max_length=100)], Annotated[str, Field(max_length=1000)]], Field(max_length=60)
    ]


class TlsUse(Message):
    """TLS handshakes over the trial's whole life, by nginx's logs. ``full`` and ``resumed``: those that a request
    followed; ``None`` where nginx does not log them. ``failed``: others, by the TLS library's reason; ``unfinished``:
    those in which the client closed the connection."""

    kind: Literal["tls_use"] = "tls_use"
    t_us: Whole
    full: Whole | None
    resumed: Whole | None
    failed: Annotated[dict[Annotated[str, Field(max_length=200)], Whole], Field(max_length=20)]
    unfinished: Whole = 0


class TriedRate(Message):
    """A rate that an agent set: requests that were due in ``[begun_us, t_us)`` at ``per_s``, and what became of them.
    ``failed``: those that were not served. Latencies count from the instants at which requests were due; ``None`` where
    too few were served. ``achieved_per_s``: served ones a second. ``number``: from 1 in the trial."""

    t_us: Whole
    stream: str
    number: Annotated[int, Field(strict=True, ge=1, le=10_000)]
    begun_us: Whole
    per_s: Real
    achieved_per_s: Real
    due: Whole
    served: Whole
    failed: Whole
    p50_us: Whole | None
    p90_us: Whole | None
    p99_us: Whole | None
    p999_us: Whole | None


class CapacityStep(TriedRate):
    """One rate that a search for the capacity tried. ``void``: the step says nothing of nginx, for instance since the
    generator was late. ``unmet``: the bounds of the goal that it missed."""

    kind: Literal["capacity_step"] = "capacity_step"
    result: Literal["met", "missed", "void"]
    reason: Annotated[str, Field(max_length=500)] = ""
    unmet: list[GoalBound] = Field(default=[], max_length=5)


class CurveStep(TriedRate):
    """One rate of a curve; ``achieved_per_s`` counts from its first answer on. ``cut_short``: requests piled up, so
    that it ended before its time. ``generator_late``: the load generator's own delays may be in its latency.
    ``connections``: how many were in use, each as fast as it was answered; ``per_s`` is then what they sent."""

    kind: Literal["curve_step"] = "curve_step"
    cut_short: bool
    generator_late: bool
    connections: Natural | None = None


class CapacityFound(Message):
    """How a search for the capacity ended. ``met_per_s``: the highest rate that is known to meet the goal;
    ``missed_per_s``: the lowest one above it that is known not to. ``capacity_per_s``: the estimate; ``low_per_s`` and
    ``high_per_s``: where it lies with a probability of 95 % by this one search.

    ``ended``: ``found``; ``every-rate`` or ``no-rate`` of those allowed met the goal; ``generator``: the load generator
    was at its limit before; ``unfinished``: time was up. All figures are requests a second."""

    kind: Literal["capacity_found"] = "capacity_found"
    t_us: Whole
    stream: str
    ended: Literal["found", "every-rate", "no-rate", "generator", "unfinished"]
    met_per_s: Real | None
    missed_per_s: Real | None
    capacity_per_s: Real | None
    low_per_s: Real | None
    high_per_s: Real | None


class ServerUse(Message):
    """CPU time that the server's services on this host, by name, used from the beginning of the measured window on for
    ``seconds``. ``is_changed``: a service began or ended meanwhile, so nothing is known of it."""

    kind: Literal["server_use"] = "server_use"
    t_us: Whole
    seconds: Real
    cpu_s: Annotated[dict[Annotated[str, Field(max_length=40)], Real], Field(max_length=20)]
    is_changed: bool = False


class Artefact(Message):
    """A kept file of the trial: nginx.conf, nginx -V, error.log, wrk's print. At most 256 KiB of text."""

    kind: Literal["artefact"] = "artefact"
    t_us: Whole
    name: Annotated[str, Field(max_length=200, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    text: Annotated[str, Field(max_length=262_144)]
    truncated: bool = False


class TrialEnd(Message):
    """The last event of a trial, sent when nothing of the trial is left on the host."""

    kind: Literal["end"] = "end"
    t_us: Whole
    outcome: Literal["completed", "failed", "cancelled"]
    code: str = Field(description="stable identifier, e.g. ok, nginx-config-invalid, generator-died")
    reason: str


Event = Annotated[
    PhaseEvent
    | EndpointEvent
    | ProcessEvent
    | NoteEvent
    | ActionEvent
    | StreamResult
    | NginxTotal
    | FingerprintEvent
    | TemporaryFiles
    | ServerUse
    | Answer
    | TlsUse
    | ServedRequests
    | NginxMemory
    | CapacityStep
    | CapacityFound
    | CurveStep
    | Profile
    | Phases
    | Artefact
    | TrialEnd,
    Field(discriminator="kind"),
]


MAX_FRAMES = 2_000
MAX_INTERVALS = 2_000
MAX_EVENTS = 2_000
"""The most in one batch, so that reading it holds up nobody else for long. Agents write another batch instead."""


class Batch(Message):
    """What happened since the previous batch. ``seq`` counts from 1 without gaps per trial and host."""

    seq: Annotated[int, Field(strict=True, ge=1, le=2**31 - 1)]
    clock_offset_us: Whole = Field(description="backend's clock minus host's clock, best estimate when sent")
    layouts: Items[Layout] = Field(default_factory=list)
    frames: Annotated[Items[Frame], Field(max_length=MAX_FRAMES)] = Field(default_factory=list)
    intervals: Annotated[Items[LatencyInterval], Field(max_length=MAX_INTERVALS)] = Field(default_factory=list)
    events: Annotated[Items[Event], Field(max_length=MAX_EVENTS)] = Field(default_factory=list)
