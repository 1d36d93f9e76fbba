"""Enrolment, inventory and heartbeat of a host's agent."""

from typing import Annotated, Literal, get_args
from uuid import UUID

from pydantic import Field

from ngxlab_contracts.base import ExactMessage, Message, Natural, Real, Whole
from ngxlab_contracts.protocol import ProtocolText


class Cpu(ExactMessage):
    """Logical CPUs this host offers. ``governor`` is ``None`` where the kernel exposes no cpufreq."""

    model: str
    logical: Natural
    physical: Natural | None
    mhz: Real | None
    governor: str | None


class Nic(ExactMessage):
    """A network interface. ``speed_mbps`` is ``None`` where the kernel reports no speed (loopback, virtual)."""

    name: str
    addresses: list[str]
    speed_mbps: Whole | None
    mtu: Natural | None


class NginxBinary(ExactMessage):
    """An nginx installed on the host. ``sha256`` of the file identifies the build."""

    path: str
    version: str
    configure_arguments: list[str]
    modules: list[str] = Field(description="static and dynamic modules, e.g. http_stub_status_module")
    sha256: str


class WrkBinary(ExactMessage):
    path: str
    version: str
    sha256: str


PROFILE = "profile"
"""The capability of a host on which perf can sample the functions of an nginx."""


class Capability(ExactMessage):
    """Something a host can or cannot do. ``detail``: the reason and how to fix it, or what the agent detected."""

    name: str = Field(description="e.g. isolation, wrk-memory, psi, cpufreq, conntrack, drop-privileges")
    available: bool
    detail: str


HostRole = Literal["target", "generator", "upstream"]


class HostCaps(ExactMessage):
    """What the host's owner allows, read from a file on the host that the server cannot change. None: no cap."""

    roles: list[HostRole] = Field(default_factory=lambda: list(get_args(HostRole)))
    max_connections: Natural | None = None
    max_trial_s: Real | None = None
    max_files_bytes: Natural | None = Field(default=None, description="with logs and temporary files")
    max_memory_bytes: Natural | None = Field(default=None, description="of all processes of a trial together")
    max_processes: Natural | None = Field(default=None, description="processes and threads of a trial together")
    max_rate_per_s: Real | None = Field(default=None, description="planned requests or new connections a second")
    allow_targets: list[str] | None = Field(
        default=None, description="networks that this host may send load to, besides itself"
    )
    allow_scripts: bool = Field(default=False, description="Lua scripts for wrk, fenced in by the kernel")
    allow_unsandboxed_nginx: bool = Field(default=False, description="nginx where namespaces do not work")
    allow_unsandboxed_code: bool = Field(
        default=False, description="code that directives beyond the list run, where a wall of a trial is missing"
    )
    allow_pressure: bool = Field(
        default=True, description="perturbations of the whole host: sync, and pressure on its CPUs or disks"
    )
    allow_profiles: bool = Field(default=True, description="perf samples the functions of the nginx of a trial")
    nginx_modules: list[str] = Field(
        default_factory=list, description="files of modules that a configuration of nginx may load"
    )
    allow_directives: list[str] = Field(
        default_factory=list, description="directives beyond ngxlab's list: names, or how they begin, as in more_*"
    )
    code_files: list[str] = Field(
        default_factory=list, description="files and folders of code that such directives may name"
    )


class Inventory(ExactMessage):
    """What this host is. Collected when the agent starts and when something changes, never during a trial."""

    agent_version: str
    hostname: str
    boot_id: str
    kernel: str
    os: str
    python: str
    cpu: Cpu
    memory_bytes: Natural
    nics: list[Nic]
    limits: dict[str, str] = Field(description="e.g. nofile_soft, nofile_hard, ip_local_port_range, somaxconn")
    settings: dict[str, str] = Field(description="fingerprint: sysctls, THP, ASLR, clocksource, …")
    nginx: list[NginxBinary]
    wrk: WrkBinary | None
    capabilities: list[Capability]
    caps: HostCaps = Field(default_factory=HostCaps)

    @property
    def engine_programs(self) -> dict[str, WrkBinary]:
        """The installed programs that load engines run, by name."""
        return {"wrk": self.wrk} if self.wrk is not None else {}


class AgentIdentity(Message):
    """Which agent speaks, and on which machine: what tells a restart from a copy of the host's credential.

    ``machine``: a hash of what identifies the machine, empty where nothing does.
    """

    protocol: ProtocolText
    version: Annotated[str, Field(max_length=100)]
    hostname: Annotated[str, Field(max_length=255)]
    machine: Annotated[str, Field(max_length=64)]
    boot_id: Annotated[str, Field(max_length=64)]


_LETTER = "A-Za-z0-9_\\u4e00-\\u9fff"
HostName = Annotated[
    str, Field(min_length=1, max_length=100, pattern=rf"^[{_LETTER}]([{_LETTER} .()@-]*[{_LETTER}.()@-])?$")
]
"""Latin letters of ASCII and Chinese characters, none of which looks like another, and no blank at the end."""


class EnrolRequest(Message):
    """A one-time token is exchanged for the host's own credential."""

    token: str
    name: HostName
    inventory: Inventory
    agent: AgentIdentity


class EnrolCheck(Message):
    """Asked before a token is used up: whether it will do, and where Redis is, which the new host must reach."""

    token: str
    name: HostName
    machine: Annotated[str, Field(max_length=64)] = ""


class EnrolOutlook(Message):
    broker_url: str


class HostStanding(Message):
    """How the server sees a host. ``bundle``: SHA-256 of the agent that it offers; ``None`` where it offers none."""

    host_id: UUID
    name: str
    state: str
    detail: str
    bundle: str | None = None


class EnrolResponse(Message):
    """``credential`` is shown once and stored by the agent with mode 0600.

    ``broker_url``: where Redis is; the agent logs in there as its host's own user (:mod:`ngxlab_contracts.broker`).
    """

    host_id: UUID
    credential: str
    broker_url: str


class BrokerTrouble(Message):
    """An agent cannot reach Redis, so that it hears of no trial. ``for_s``: for how long it has not."""

    reason: Annotated[str, Field(max_length=300)]
    for_s: Annotated[Real, Field(ge=0, le=1e9)]


class Heartbeat(Message):
    """Sent every few seconds by a running agent. ``inventory``: only at the start and after a change.

    ``agent_instance`` is new at each start: trials claimed by another instance of this host are then lost.
    """

    agent_instance: UUID
    sent_at_us: Whole
    clock_offset_us: Whole | None = Field(description="backend's clock minus host's clock, best estimate so far")
    clock_rtt_us: Whole | None
    active_trial: UUID | None
    spooled_trials: list[UUID] = Field(
        default_factory=list, description="trials with data that the agent has not uploaded yet"
    )
    agent: AgentIdentity
    inventory: Inventory | None = None
    broker_trouble: BrokerTrouble | None = None
    disk_trouble: Annotated[str, Field(max_length=200)] | None = Field(
        None, description="what the agent's disk lacks for a trial; none where there is room"
    )


class Greeting(Message):
    """What every version of a heartbeat has: read where the rest of another major version's cannot be understood."""

    agent_instance: UUID
    agent: AgentIdentity


class HeartbeatReply(Message):
    """``received_at_us`` and ``sent_at_us`` (backend's clock) let the agent estimate its offset as in NTP.

    ``collect_s``: so long the agent may collect readings of its trial before it sends them, as nobody watches; what
    happens in the trial, it tells at once. Holds until the next answer.
    """

    received_at_us: Whole
    sent_at_us: Whole
    collect_s: Annotated[float, Field(ge=0, le=60)] = 0
