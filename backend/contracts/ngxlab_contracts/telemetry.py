"""What a host reports while a trial runs: sequence-numbered batches of frames, histograms and events.

All times are microseconds since the Unix epoch on the *host's* clock, advanced by CLOCK_MONOTONIC from one
anchor per trial, so that a stepped wall clock cannot bend a rate.
"""

from typing import Annotated, Literal

from pydantic import Field

from ngxlab_contracts.base import Items, Message
from ngxlab_contracts.trials import IpAddress, Port


class SeriesDef(Message):
    """One column of a layout. Name and unit follow node_exporter, e.g. ``node_cpu_seconds_total``, ``seconds``."""

    name: str
    labels: dict[str, str] = Field(default_factory=dict)
    unit: str
    kind: Literal["counter", "gauge"]


class Layout(Message):
    """The columns of a collector's frames. A collector whose columns change declares a new layout id."""

    id: Annotated[int, Field(ge=0, le=32_767)]
    collector: str
    series: Items[SeriesDef]


class Frame(Message):
    """One reading of one collector: raw values in the order of its layout, ``None`` where one was unreadable."""

    layout: Annotated[int, Field(ge=0, le=32_767)]
    t_us: int
    took_us: Annotated[int, Field(ge=0)]
    values: Items[float | None]


Quantity = Literal["latency", "service", "schedule", "request_time", "upstream_time"]
"""What a histogram is of. Of a stream: ``latency`` (for an open loop from the intended instant), ``service`` (from the
first write), ``schedule`` (how late the generator itself was). Of nginx, by its own access log (stream ``nginx``):
``request_time`` and ``upstream_time``."""


class LatencyInterval(Message):
    """Every response completed in ``[t0_us, t1_us)`` by one stream: a delta histogram of latency in microseconds.

    ``histogram`` is a base64 HdrHistogram V2 compressed payload, or ``None`` where nothing completed.
    """

    stream: str
    t0_us: int
    t1_us: int
    count: Annotated[int, Field(ge=0)]
    histogram: Annotated[str, Field(max_length=262_144)] | None
    quantity: Quantity = "latency"


class PhaseEvent(Message):
    """The trial enters a phase at ``t_us``. ``measure`` and ``cooldown`` bound the measured window."""

    kind: Literal["phase"] = "phase"
    t_us: int
    phase: Literal["preparing", "ready", "warmup", "measure", "cooldown", "cleanup"]


class EndpointEvent(Message):
    """A role of this host can be reached now; the backend passes it on to the trial's other hosts."""

    kind: Literal["endpoint"] = "endpoint"
    t_us: int
    name: str
    address: IpAddress
    ports: Annotated[Items[Port], Field(min_length=1, max_length=1000)]


class ProcessEvent(Message):
    """A process of the trial. ``cpus_allowed`` is the kernel's list format, e.g. ``0-1``."""

    kind: Literal["process"] = "process"
    t_us: int
    role: Literal["nginx-master", "nginx-worker", "generator", "upstream"]
    index: int
    pid: int
    cpus_allowed: str
    stream: str | None = None


class NoteEvent(Message):
    """Something the report must say: a degraded measurement, a failing collector, a warning from nginx."""

    kind: Literal["note"] = "note"
    t_us: int
    severity: Literal["info", "warning", "error"]
    code: str = Field(description="stable identifier, e.g. wrk-memory-unreadable, collector-failed")
    message: str


class WrkPrint(Message):
    """wrk's own final report, parsed; its percentiles are after wrk's own correction. Microseconds and bytes."""

    requests: int
    duration_s: float
    bytes_read: int
    requests_per_s: float
    latency_avg_us: float | None
    latency_stdev_us: float | None
    latency_max_us: float | None
    latency_p50_us: float | None = None
    latency_p75_us: float | None = None
    latency_p90_us: float | None = None
    latency_p99_us: float | None = None
    errors_connect: int = 0
    errors_read: int = 0
    errors_write: int = 0
    errors_timeout: int = 0
    errors_status: int = Field(default=0, description="non-2xx or 3xx responses")


class EngineTotals(Message):
    """What an engine of our own counted over its whole life. ``intended`` and what follows from it: open loop only.

    ``unfinished``: sent or due, and not answered at the end. ``reconnects``: opened anew after the first time.
    ``errors_read``: closed or reset in the middle of an answer; ``errors_garbage``: an answer that is no HTTP.
    """

    sent: int
    completed: int
    connects: int
    reconnects: int
    bytes_read: int
    processes: int
    own_memory_bytes: int | None = None
    intended: int | None = None
    unfinished: int = 0
    backlog_max: int = 0
    connections_max: int = 0
    errors_connect: int = 0
    errors_read: int = 0
    errors_write: int = 0
    errors_timeout: int = 0
    errors_status: int = 0
    errors_garbage: int = 0


class StreamResult(Message):
    """The end of a stream. Three counts of the same requests must agree (docs/checks.md, accounting).

    ``live_requests`` is what was read from wrk's memory over its whole life (``None`` if unreadable);
    ``printed`` is what wrk printed; ``stub_requests`` is nginx's own count over the same life less our polls, known
    here only where this is the trial's one stream and nginx is on the same host (else see :class:`NginxTotal`).
    """

    kind: Literal["stream_result"] = "stream_result"
    t_us: int
    stream: str
    exit_code: int | None
    live_requests: int | None
    live_unavailable_reason: str | None = None
    stub_requests: int | None
    printed: WrkPrint | None
    totals: EngineTotals | None = None


class ActionEvent(Message):
    """A perturbation did something: its ``number``-th action, from 1. Reported when it ended.

    An interval reports its beginning too, with ``ended_us`` None; the later event of the same number replaces it.
    ``status``: of HTTP, where there was an answer. ``skipped``: it was due and not done, because the one before it had
    not ended.
    """

    kind: Literal["action"] = "action"
    t_us: int
    ended_us: int | None
    perturbation: str
    number: Annotated[int, Field(ge=1)]
    action: str
    ok: bool
    skipped: bool = False
    status: int | None = None
    detail: Annotated[str, Field(max_length=500)] = ""


class NginxTotal(Message):
    """nginx's own count of the requests of all streams over the whole load, less our polls; None if unreadable."""

    kind: Literal["nginx_total"] = "nginx_total"
    t_us: int
    requests: int | None


class TemporaryFiles(Message):
    """How often nginx's whole error log says that a body went to a temporary file: of a client's request, and of an
    upstream's response. ``log_bytes``: the log's own size, which was written to the disk too."""

    kind: Literal["temporary_files"] = "temporary_files"
    t_us: int
    requests: int
    responses: int
    log_bytes: int


class Artefact(Message):
    """A kept file of the trial: nginx.conf, nginx -V, error.log, wrk's print. At most 256 KiB of text."""

    kind: Literal["artefact"] = "artefact"
    t_us: int
    name: str
    text: Annotated[str, Field(max_length=262_144)]
    truncated: bool = False


class TrialEnd(Message):
    """The last event of a trial, sent after nothing of it is left on the host."""

    kind: Literal["end"] = "end"
    t_us: int
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
    | TemporaryFiles
    | Artefact
    | TrialEnd,
    Field(discriminator="kind"),
]


class Batch(Message):
    """What happened since the previous batch. ``seq`` counts from 1 without gaps per trial and host."""

    seq: Annotated[int, Field(ge=1)]
    clock_offset_us: int = Field(description="backend's clock minus host's clock, best estimate when sent")
    layouts: Items[Layout] = Field(default_factory=list)
    frames: Items[Frame] = Field(default_factory=list)
    intervals: Items[LatencyInterval] = Field(default_factory=list)
    events: Items[Event] = Field(default_factory=list)
