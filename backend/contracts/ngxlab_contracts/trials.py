"""What a host must do in one trial, and how the backend steers it."""

import math
from ipaddress import ip_address
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, ConfigDict, Field

from ngxlab_contracts.base import ExactMessage, Message
from ngxlab_contracts.fields import field
from ngxlab_contracts.files import FileSet
from ngxlab_contracts.perturbations import PerturbationSpec
from ngxlab_contracts.protocol import FIRST, ProtocolText, since
from ngxlab_contracts.streams import StreamSpec

RunVariable = Literal["http_port", "status_port", "address", "folder", "pid_file", "error_log", "modules"]
"""Values that only the host knows. A configuration contains them as ``@@name@@``; the agent fills them in.

``modules`` becomes a ``load_module`` line for each of :attr:`NginxSpec.modules` that the binary does not have built in.
``http_port.2`` and so on are the additional ports of an nginx that listens on several.
"""

DynamicModule = Literal["http_lua_module", "stream_module"]
"""Modules that a built-in part of a configuration may need. The modules that these depend on are loaded too."""

UPSTREAM_VARIABLE_PREFIX = "upstream."
"""``@@upstream.KEY@@`` in the target's configuration becomes one ``server ADDRESS:PORT;`` for each instance."""

TARGET_ENDPOINT = "target"
"""Name of the endpoint that streams send their load to."""


def placeholder(name: RunVariable) -> str:
    """How a run variable is written inside :attr:`NginxSpec.config`."""
    return f"@@{name}@@"


def _ip_address(text: str) -> str:
    return str(ip_address(text))


IpAddress = Annotated[str, AfterValidator(_ip_address)]
"""An address and nothing else, because it is written into configurations."""

Port = Annotated[int, Field(strict=True, ge=1, le=65_535)]


class ColdFiles(ExactMessage):
    """How cold files are kept out of the page cache.

    ``evict``: the agent drops them from it every ``evict_every_ms`` (posix_fadvise). ``throttle``: they are on a loop
    device whose reads are limited to ``read_bytes_per_s`` and ``read_ops_per_s`` (None: no limit), and are dropped as
    well; only on hosts with that capability.
    """

    method: Annotated[
        Literal["evict", "throttle"],
        field(
            "evict: drop the files from the page cache again and again; throttle: also put them "
            "on a device with limited reads, which few hosts can do",
            label=("Method", "cold files"),
            choices={"evict": "Evict from the page cache", "throttle": "Throttled device"},
        ),
    ] = "evict"
    evict_every_ms: Annotated[
        int, field("time between two evictions", ge=1, le=10_000, label="Evict every", unit="ms")
    ] = 20
    read_bytes_per_s: Annotated[
        Annotated[int, Field(ge=1 << 16, le=64 << 30)] | None,
        field("most bytes read a second (throttle)", label="Read at most", unit="B/s", placeholder="no limit"),
    ] = None
    read_ops_per_s: Annotated[
        Annotated[int, Field(ge=1, le=10_000_000)] | None,
        field(
            "most reads a second (throttle)", label="Read operations at most", unit="reads/s", placeholder="no limit"
        ),
    ] = None


class UpstreamGroup(Message):
    """``nodes`` servers that use the ports of ``endpoint`` (named ``upstream.KEY``) in turn.

    ``health_check``: arguments of Tengine's ``check`` directive, which is sent after the servers.
    """

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]*$", max_length=60)]
    nodes: Annotated[int, Field(ge=1, le=20_000)]
    endpoint: str
    health_check: Annotated[str, Field(pattern=r"^([a-z_]+=[a-z0-9_]+( [a-z_]+=[a-z0-9_]+)*)?$", max_length=200)] = ""


class DynamicUpstreams(Message):
    """Upstream groups whose nodes change while nginx runs.

    ``api``: the agent fills and changes them by ``POST /upstream/NAME`` (body ``server ADDRESS:PORT;…``) on the status
    port. ``file``: it writes ``@@folder@@/upstreams.conf``, which the configuration includes, and reloads.
    ``settle_s``: how long it may take until every worker knows the groups after they have been filled.
    """

    through: Literal["api", "file"]
    groups: Annotated[list[UpstreamGroup], Field(min_length=1, max_length=1000)]
    settle_s: Annotated[float, Field(ge=0, le=60)] = 0


STATUS_LOCATION = "location = /stub_status { stub_status; }"
"""As ``NginxSpec.config`` has it. An nginx without the module would not even start with it, so its agent leaves it out
and adds the note :data:`UNCOUNTED`."""
UNCOUNTED = "nginx-uncounted"


CertificateKey = Literal["p256", "rsa2048", "rsa3072", "rsa4096"]
"""The key of a server's certificate: ECDSA over P-256, or RSA with so many bits."""
MOST_CERTIFICATES = 5
PHASES_FORMAT = (
    "$msec $request_time $ngxlabread $connection_requests $connection_time $upstream_connect_time "
    "$upstream_header_time $upstream_response_time $status"
)
"""A line of ``phases.log``. ``$ngxlabread`` is ``$request_time`` once the headers of the request have been read; a
build of nginx before 1.19.10 has ``-`` for ``$connection_time``."""
TIMES_FORMAT = "$msec $request_time $upstream_response_time $status"
"""A line of ``access.log``."""
SERVED_FORMAT = "$pid $ngxlabcache $gzip_ratio $body_bytes_sent"
"""What follows in it with ``NginxSpec.served``. ``$ngxlabcache`` is the place, from 1, of ``$upstream_cache_status`` in
:data:`CacheStatus`, 0 where no cache was asked; ``-`` stands for ``$gzip_ratio`` where nothing is compressed."""


class NginxSpec(Message):
    """The nginx under test.

    ``config`` is a whole nginx.conf with run variables as ``@@name@@``. It has a server on ``address:http_port`` that
    receives the load, and one on loopback's ``status_port`` that answers ``/stub_status`` only. With ``tls`` the agent
    creates a certificate for the run (``@@folder@@/tls.crt`` and ``tls.key``). ``files`` are in ``@@folder@@/files``.
    ``cpus``: kernel list format, e.g. ``0-1``; None for all. ``upstream_servers`` names the endpoints
    (``upstream.KEY``) that the configuration refers to; they must be up before it can be tested. ``ports``: how many
    ports receive the load (``@@http_port@@``, ``@@http_port.2@@``, …). ``request_times``: the configuration logs
    :data:`TIMES_FORMAT` to ``@@folder@@/access.log``, buffered; the agent reads it. ``served``: also
    :data:`SERVED_FORMAT`.
    ``certificate_key`` and ``certificate_chain``, with ``tls``: the certificate's key, and how many certificates a
    handshake sends. ``watches_tls``: the error log has the reasons of failed handshakes, and where the configuration
    says so, ``@@folder@@/tls.log`` has ``$ssl_session_reused`` of each connection's first request. ``tcp``: what
    receives the load passes on connections, in whose requests nginx does not look, so that it does not count them.
    ``phases``: the configuration logs the parts of each request's time to ``@@folder@@/phases.log``, buffered, as
    :data:`PHASES_FORMAT` says; the agent reads it.
    """

    binary: str = Field(description="absolute path of an nginx binary registered in the host's inventory")
    config: str
    workers: Annotated[int, Field(ge=1, le=256)]
    address: str = "127.0.0.1"
    tls: bool = False
    files: list[FileSet] = Field(default_factory=list)
    cpus: str | None = None
    upstream_servers: list[str] = Field(default_factory=list)
    ports: Annotated[int, Field(ge=1, le=64)] = 1
    modules: list[DynamicModule] = Field(default_factory=list)
    request_times: bool = False
    cold_files: ColdFiles | None = None
    upstreams: DynamicUpstreams | None = None
    watches_tls: Annotated[bool, Field(json_schema_extra=since(1))] = False
    certificate_key: Annotated[CertificateKey, Field(json_schema_extra=since(2))] = "p256"
    certificate_chain: Annotated[int, Field(ge=1, le=MOST_CERTIFICATES, json_schema_extra=since(2))] = 1
    tcp: Annotated[bool, Field(json_schema_extra=since(5))] = False
    phases: Annotated[bool, Field(json_schema_extra=since(6))] = False
    served: Annotated[bool, Field(json_schema_extra=since(8))] = False


UpstreamProtocol = Literal["http", "fastcgi", "uwsgi", "scgi", "grpc", "memcached"]
"""What upstream servers speak: an nginx speaks HTTP and, by HTTP/2, gRPC; a program of ngxlab's own the others."""


class Responder(Message):
    """What an upstream server does that is no nginx: it reads a request, waits, and answers 200 with so many bytes.

    ``distribution`` ``uniform`` varies the delay by plus or minus ``spread_ms``; ``exponential`` makes it the mean.
    ``echoes``: it speaks WebSocket instead, and sends each message back after the delay.
    """

    model_config = ConfigDict(json_schema_extra=since(2))

    response_bytes: Annotated[int, Field(ge=0, le=1 << 20)] = 0
    processes: Annotated[int, Field(ge=1, le=256)] = 1
    delay_ms: Annotated[float, Field(ge=0, le=600_000)] = 0
    distribution: Literal["constant", "uniform", "exponential"] = "constant"
    spread_ms: Annotated[float, Field(ge=0, le=600_000)] = 0
    echoes: Annotated[bool, Field(json_schema_extra=since(8))] = False


class UpstreamServerSpec(Message):
    """An upstream server for the nginx under test: an nginx of its own with ``instances`` ports.

    ``config`` is a whole nginx.conf that listens on ``@@address@@:@@port.1@@`` to ``@@port.N@@``, and answers
    ``/stub_status`` on loopback's ``@@status_port@@``. With ``tls`` the agent creates a certificate for the trial
    (``@@folder@@/tls.crt`` and ``tls.key``), as for the nginx under test. With ``responder`` it is no nginx but a
    program of the agent's own, which has no ``config``.
    """

    key: str
    binary: str
    config: str
    instances: Annotated[int, Field(ge=1, le=1000)]
    address: str = "127.0.0.1"
    cpus: str | None = None
    modules: list[DynamicModule] = Field(default_factory=list)
    tls: bool = False
    protocol: Annotated[UpstreamProtocol, Field(json_schema_extra=since(2))] = "http"
    responder: Annotated[Responder | None, Field(json_schema_extra=since(2))] = None


class TimingSpec(Message):
    """Seconds of each phase. The measured window lasts ``measure_s``; on a host that is late it starts later.

    ``start_timeout_s``: how long hosts may take to get ready (including their files) and to wait for one another.
    What ends with ``_timeout_s`` is no phase.
    """

    warmup_s: Annotated[float, Field(ge=0, le=3600)]
    measure_s: Annotated[float, Field(gt=0, le=86_400)]
    cooldown_s: Annotated[float, Field(ge=0, le=600)] = 0
    ready_timeout_s: Annotated[float, Field(gt=0, le=120)] = 10
    start_timeout_s: Annotated[float, Field(gt=0, le=86_400)] = 60

    @property
    def phases_s(self) -> float:
        """Seconds of all phases together."""
        return math.fsum(seconds for name, seconds in self if not name.endswith("_timeout_s"))


class SamplingSpec(Message):
    """Milliseconds between two readings. A latency histogram covers one second or more."""

    interval_ms: Annotated[int, Field(ge=100, le=60_000)] = 1000
    histogram_interval_ms: Annotated[int, Field(ge=1000, le=60_000)] = 1000


class ProfileSpec(Message):
    """The trial is a profile: perf samples nginx ``hz`` times in each second of its CPU time in the measured window."""

    model_config = ConfigDict(json_schema_extra=since(5))

    hz: Annotated[int, Field(ge=10, le=999)] = 99


class TrialSpec(Message):
    """Everything one host needs to do its part of a trial. Fetched by the agent, never sent through Celery.

    A host may be the target (``nginx``), run upstream servers, generate streams, or do any of these at once.
    ``remote_streams``: streams on other hosts use what this host serves, so it keeps serving until
    :attr:`TrialControl.streams_done`. ``requires``: the oldest protocol that understands all of it. ``profile``: the
    trial is no measurement, but shows where nginx spends its CPU time.
    """

    trial_id: UUID
    run_id: UUID
    host_id: UUID
    arm: str
    block: int
    position: int
    attempt: int
    nginx: NginxSpec | None
    upstream_servers: list[UpstreamServerSpec] = Field(default_factory=list)
    streams: list[StreamSpec] = Field(default_factory=list)
    perturbations: list[PerturbationSpec] = Field(default_factory=list)
    remote_streams: bool = False
    timing: TimingSpec
    sampling: SamplingSpec
    requires: ProtocolText = str(FIRST)
    profile: Annotated[ProfileSpec | None, Field(json_schema_extra=since(5))] = None


class Endpoint(Message):
    """Where a part of the trial can be reached: ``target``, or ``upstream.KEY`` with a port for each instance."""

    name: str
    address: IpAddress
    ports: Annotated[list[Port], Field(min_length=1, max_length=1000)]


TrialCommand = Literal["continue", "cancel", "discard"]
"""``cancel``: stop now, keep what was measured. ``discard``: the backend no longer wants this trial's data."""


class TrialControl(Message):
    """The backend's answer to every batch and to a control poll.

    ``start_at_us`` is the agreed instant (microseconds, *backend's* clock) at which warm-up begins, once known.
    ``endpoints``: what the other hosts of the trial have announced so far. ``streams_done``: all streams of all hosts
    have ended, so the target may read its last counters. ``revision`` grows whenever one of these changes:
    ``GET …/control?wait_s=S&beyond=REVISION`` answers as soon as the revision is greater.
    """

    command: TrialCommand = "continue"
    start_at_us: int | None = None
    endpoints: list[Endpoint] = Field(default_factory=list)
    streams_done: bool = False
    revision: int = 0


class ClaimRequest(Message):
    """An agent process takes a trial. Repeating the claim with the same ``agent_instance`` is harmless."""

    agent_instance: UUID
    protocol: ProtocolText


class TrialRefusal(Message):
    """An agent does not understand the trial that it has claimed; ``reason`` ends it, as people read it."""

    agent_instance: UUID
    reason: Annotated[str, Field(max_length=2000)]


class BatchAck(Message):
    """``acked_seq`` is the highest batch that is safely stored; the agent may delete it and all before it."""

    acked_seq: int
    control: TrialControl
