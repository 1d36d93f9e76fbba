"""What this host refuses, whatever the backend asks for: work beyond its caps, an nginx that it does not offer, and
configurations that no experiment may have."""

from collections.abc import Iterable
from dataclasses import dataclass

from ngxlab_contracts.config_test import ConfigTestSpec
from ngxlab_contracts.hosts import HostCaps, HostRole
from ngxlab_contracts.perturbations import WHOLE_HOST, DiskPressure
from ngxlab_contracts.trials import UPSTREAM_VARIABLE_PREFIX, NginxSpec, TrialSpec
from ngxlab_policy.document import Surroundings, directives_of_code, problems
from ngxlab_policy.owner import Leave

from ngxlab_worker.agent import caps
from ngxlab_worker.confinement import Bounds, probe_fence
from ngxlab_worker.core.files import disk_trouble
from ngxlab_worker.core.reach import Reach, is_loopback
from ngxlab_worker.core.settings import AgentSettings
from ngxlab_worker.inventory.nginx import registered
from ngxlab_worker.perturbations.disk_writer import LARGEST_FILE
from ngxlab_worker.sandbox import Isolation, probe_network
from ngxlab_worker.trial.failure import Outcome
from ngxlab_worker.trial.runner import stays_here

UNSANDBOXED = (
    "nginx cannot be isolated by namespaces on this host (see its capability isolation), and its owner does not allow "
    "it without (allow_unsandboxed_nginx)"
)


def refuse_full_disk(settings: AgentSettings) -> Outcome | None:
    """The outcome of any trial while the agent's disk has no room for one. It must be reported without the disk."""
    reason = disk_trouble(settings.folder)
    return (
        None if reason is None else Outcome("failed", "disk-full", f"the disk of {settings.folder} is full: {reason}")
    )


UNWALLED = (
    "code of {names} would run without {wall}, and the owner of this host does not allow that (allow_unsandboxed_code)"
)


@dataclass(frozen=True)
class Allowance:
    """What an admitted trial may use, and where it may send load."""

    bounds: Bounds
    reach: Reach


def allowance(settings: AgentSettings) -> Allowance:
    """The defaults apply where the owner's file has become unusable since the trial was admitted."""
    try:
        allowed = caps.load(settings.folder).caps
    except caps.CapsError:
        allowed = HostCaps(allow_targets=[])
    return Allowance(caps.bounds(allowed, settings.folder), Reach.of_this_host(allowed.allow_targets))


def refuse_trial(settings: AgentSettings, spec: TrialSpec, isolation: Isolation) -> Outcome | None:
    """The outcome of a trial that this host refuses; ``None`` where it may begin."""
    try:
        owner = caps.load(settings.folder)
    except caps.CapsError as error:
        return Outcome("failed", "beyond-caps", str(error))
    servers = [server for server in (spec.nginx, *spec.upstream_servers) if server is not None]
    if reason := _foreign_binary(settings, owner, [server.binary for server in servers]):
        return Outcome("failed", "unknown-binary", reason)
    if reason := beyond_caps(owner.caps, spec):
        return Outcome("failed", "beyond-caps", reason)
    if servers and (reason := _unsandboxed(owner, isolation)):
        return Outcome("failed", "unsandboxed", reason)
    reach = Reach.of_this_host(owner.caps.allow_targets)
    if reason := next(filter(None, (reach.foreign(server.address) for server in servers)), None):
        return Outcome("failed", "foreign-address", reason)
    configurations = [(server.config, Surroundings()) for server in spec.upstream_servers]
    configurations += [(spec.nginx.config, _surroundings(owner, spec.nginx))] if spec.nginx is not None else []
    if reason := _forbidden(configurations):
        return Outcome("failed", "config-forbidden", reason)
    if spec.nginx is not None and (reason := _unwalled(owner, isolation, [spec.nginx], stays=stays_here(spec))):
        return Outcome("failed", "unwalled-code", reason)
    return None


def refuse_config_test(settings: AgentSettings, spec: ConfigTestSpec, isolation: Isolation) -> str | None:
    """Why this host refuses to test these configurations; ``None`` where it may."""
    try:
        owner = caps.load(settings.folder)
    except caps.CapsError as error:
        return str(error)
    if "target" not in owner.caps.roles:
        return _role_refusal("target")
    return (
        _beyond_loopback(arm.nginx.address for arm in spec.arms)
        or _foreign_binary(settings, owner, (arm.nginx.binary for arm in spec.arms))
        or _unsandboxed(owner, isolation)
        or _forbidden((arm.nginx.config, _surroundings(owner, arm.nginx)) for arm in spec.arms)
        or _unwalled(owner, isolation, [arm.nginx for arm in spec.arms], stays=True)
    )


def refuse_first_answers(settings: AgentSettings, spec: ConfigTestSpec) -> str | None:
    """Why this host sends no request of these arms' streams, although it tests their configurations; ``None`` where it
    does. The test itself must have been admitted."""
    try:
        owner = caps.load(settings.folder)
    except caps.CapsError as error:
        return str(error)
    servers = [server for arm in spec.arms for server in arm.upstream_servers]
    if servers and "upstream" not in owner.caps.roles:
        return _role_refusal("upstream")
    sizes = (sum(files.total_bytes for files in arm.nginx.files) for arm in spec.arms)
    return (
        _beyond_loopback(server.address for server in servers)
        or _foreign_binary(settings, owner, (server.binary for server in servers))
        or _too_many_bytes(owner.caps, max(sizes, default=0))
        or _forbidden((server.config, Surroundings()) for server in servers)
    )


def _beyond_loopback(addresses: Iterable[str]) -> str | None:
    """A test stays on its host, and an address is written into the configuration."""
    for address in addresses:
        try:
            here = is_loopback(address)
        except ValueError:
            here = False
        if not here:
            return f"{address} is not an address of this host's loopback interface, where a test stays"
    return None


def _unsandboxed(owner: caps.OwnerFile, isolation: Isolation) -> str | None:
    allowed = isolation is Isolation.NAMESPACE or owner.caps.allow_unsandboxed_nginx
    return None if allowed else UNSANDBOXED


def _unwalled(owner: caps.OwnerFile, isolation: Isolation, nginx: Iterable[NginxSpec], *, stays: bool) -> str | None:
    """Code is kept by all walls of a trial, or by none where the owner says so. ``stays``: within this host."""
    names = sorted({name for one in nginx for name in directives_of_code(one.config)})
    if not names or owner.caps.allow_unsandboxed_code:
        return None
    if isolation is not Isolation.NAMESPACE:
        return UNWALLED.format(names=", ".join(names), wall="namespaces (see the capability isolation)")
    if (stays and probe_network().available) or probe_fence().available:
        return None
    wall = "a network of the trial's own or a fence (see the capabilities own-network and script-fence)"
    return UNWALLED.format(names=", ".join(names), wall=wall)


def _surroundings(owner: caps.OwnerFile, nginx: NginxSpec) -> Surroundings:
    keys = (name.removeprefix(UPSTREAM_VARIABLE_PREFIX) for name in nginx.upstream_servers)
    groups = (group.name for group in nginx.upstreams.groups) if nginx.upstreams is not None else ()
    leave = Leave(tuple(owner.allow_directives), tuple(owner.code_files))
    return Surroundings(frozenset(keys), frozenset(groups), frozenset(owner.nginx_modules), leave)


def _forbidden(configurations: Iterable[tuple[str, Surroundings]]) -> str | None:
    """Whoever controls the backend must not make this host's nginx do what no experiment may ask for."""
    for text, around in configurations:
        if found := problems(text, around):
            return f"this host does not accept the configuration of nginx: {'; '.join(found[:5])}"
    return None


def _foreign_binary(settings: AgentSettings, owner: caps.OwnerFile, binaries: Iterable[str]) -> str | None:
    """Only an nginx that was offered is run: whoever controls the backend must not choose any program of this host."""
    offered = registered([*owner.nginx, *settings.nginx_paths])
    foreign = next((binary for binary in binaries if binary not in offered), None)
    if foreign is None:
        return None
    return f"{foreign} is not an nginx that this host offers ({', '.join(offered) or 'none'}; see caps.toml)"


def beyond_caps(allowed: HostCaps, spec: TrialSpec) -> str | None:
    """Which cap forbids this trial, or ``None`` where none does."""
    for role in _roles(spec):
        if role not in allowed.roles:
            return _role_refusal(role)
    connections, most = sum(stream.connections for stream in spec.streams), allowed.max_connections
    if most is not None and connections > most:
        return f"{connections} connections: the owner of this host allows at most {most} (max_connections)"
    rate = sum(stream.planned_rate_per_s for stream in spec.streams)
    if allowed.max_rate_per_s is not None and rate > allowed.max_rate_per_s:
        cap = f"{allowed.max_rate_per_s:g} a second (max_rate_per_s)"
        return f"a planned rate of {rate:g} a second: the owner of this host allows at most {cap}"
    seconds = spec.timing.phases_s
    if allowed.max_trial_s is not None and seconds > allowed.max_trial_s:
        return (
            f"a trial of {seconds:g} s: the owner of this host allows at most {allowed.max_trial_s:g} s (max_trial_s)"
        )
    return _files_refusal(allowed, spec) or _permission_refusal(allowed, spec)


def _files_refusal(allowed: HostCaps, spec: TrialSpec) -> str | None:
    size = sum(files.total_bytes for files in spec.nginx.files) if spec.nginx else 0
    size += LARGEST_FILE * sum(isinstance(one.action, DiskPressure) for one in spec.perturbations)
    return _too_many_bytes(allowed, size)


def _too_many_bytes(allowed: HostCaps, size: int) -> str | None:
    if allowed.max_files_bytes is not None and size > allowed.max_files_bytes:
        most = allowed.max_files_bytes
        return f"files of {size} bytes: the owner of this host allows at most {most} bytes (max_files_bytes)"
    return None


def _permission_refusal(allowed: HostCaps, spec: TrialSpec) -> str | None:
    scripted = next((stream.key for stream in spec.streams if stream.script is not None), None)
    if scripted is not None and not allowed.allow_scripts:
        return f"stream {scripted} has a Lua script: the owner of this host does not allow scripts (allow_scripts)"
    pressing = next((one for one in spec.perturbations if one.action.kind in WHOLE_HOST), None)
    if pressing is not None and not allowed.allow_pressure:
        what = f"perturbation {pressing.key} ({pressing.action.kind}) acts on the whole host"
        return f"{what}: the owner of this host does not allow that (allow_pressure)"
    if spec.profile is not None and not allowed.allow_profiles:
        return "the trial is a profile: the owner of this host does not allow profiles (allow_profiles)"
    return None


def _role_refusal(role: HostRole) -> str:
    return f"the owner of this host does not allow it the role {role} (roles)"


def _roles(spec: TrialSpec) -> list[HostRole]:
    plays: dict[HostRole, bool] = {
        "target": spec.nginx is not None,
        "upstream": bool(spec.upstream_servers),
        "generator": bool(spec.streams),
    }
    return [role for role, played in plays.items() if played]
