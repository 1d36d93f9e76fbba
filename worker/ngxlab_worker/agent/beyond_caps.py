"""The trials that a host's owner forbids, whatever the backend says."""

from ngxlab_contracts.hosts import HostCaps, HostRole
from ngxlab_contracts.perturbations import WHOLE_HOST, DiskPressure
from ngxlab_contracts.trials import TrialSpec

from ngxlab_worker.perturbations.disk_writer import LARGEST_FILE


def refusal(caps: HostCaps, spec: TrialSpec) -> str | None:
    """Which cap forbids this trial, or ``None`` where none does."""
    for role in _roles(spec):
        if role not in caps.roles:
            return role_refusal(role)
    connections = sum(stream.connections for stream in spec.streams)
    if caps.max_connections is not None and connections > caps.max_connections:
        return (
            f"{connections} connections: the owner of this host allows at most {caps.max_connections} (max_connections)"
        )
    rate = sum(stream.planned_rate_per_s for stream in spec.streams)
    if caps.max_rate_per_s is not None and rate > caps.max_rate_per_s:
        most = f"{caps.max_rate_per_s:g} a second (max_rate_per_s)"
        return f"a planned rate of {rate:g} a second: the owner of this host allows at most {most}"
    seconds = spec.timing.warmup_s + spec.timing.measure_s + spec.timing.cooldown_s
    if caps.max_trial_s is not None and seconds > caps.max_trial_s:
        return f"a trial of {seconds:g} s: the owner of this host allows at most {caps.max_trial_s:g} s (max_trial_s)"
    return _files_refusal(caps, spec) or _permission_refusal(caps, spec)


def _files_refusal(caps: HostCaps, spec: TrialSpec) -> str | None:
    size = sum(files.total_bytes for files in spec.nginx.files) if spec.nginx else 0
    size += LARGEST_FILE * sum(isinstance(one.action, DiskPressure) for one in spec.perturbations)
    if caps.max_files_bytes is not None and size > caps.max_files_bytes:
        most = caps.max_files_bytes
        return f"files of {size} bytes: the owner of this host allows at most {most} bytes (max_files_bytes)"
    return None


def _permission_refusal(caps: HostCaps, spec: TrialSpec) -> str | None:
    scripted = next((stream.key for stream in spec.streams if stream.script is not None), None)
    if scripted is not None and not caps.allow_scripts:
        return f"stream {scripted} has a Lua script: the owner of this host does not allow scripts (allow_scripts)"
    pressing = next((one for one in spec.perturbations if one.action.kind in WHOLE_HOST), None)
    if pressing is not None and not caps.allow_pressure:
        what = f"perturbation {pressing.key} ({pressing.action.kind}) acts on the whole host"
        return f"{what}: the owner of this host does not allow that (allow_pressure)"
    return None


def role_refusal(role: HostRole) -> str:
    """For a role that the owner has not listed."""
    return f"the owner of this host does not allow it the role {role} (roles)"


def _roles(spec: TrialSpec) -> list[HostRole]:
    plays: dict[HostRole, bool] = {
        "target": spec.nginx is not None,
        "upstream": bool(spec.upstream_servers),
        "generator": bool(spec.streams),
    }
    return [role for role, played in plays.items() if played]
