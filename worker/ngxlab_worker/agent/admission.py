"""What this host refuses, whatever the backend asks for: work beyond its caps, and an nginx that it does not offer."""

from collections.abc import Iterable

from ngxlab_contracts.config_test import ConfigTestSpec
from ngxlab_contracts.hosts import HostCaps
from ngxlab_contracts.trials import TrialSpec

from ngxlab_worker.agent import caps
from ngxlab_worker.confinement import Bounds
from ngxlab_worker.core.settings import AgentSettings
from ngxlab_worker.inventory.nginx import registered
from ngxlab_worker.trial.failure import Outcome


def refuse_trial(settings: AgentSettings, spec: TrialSpec) -> Outcome | None:
    """The outcome of a trial that this host refuses; ``None`` where it may begin."""
    try:
        owner = caps.load(settings.folder)
    except caps.CapsError as error:
        return Outcome("failed", "beyond-caps", str(error))
    binaries = [server.binary for server in (spec.nginx, *spec.upstream_servers) if server is not None]
    if reason := _foreign_binary(settings, owner, binaries):
        return Outcome("failed", "unknown-binary", reason)
    if reason := caps.refusal(owner.caps, spec):
        return Outcome("failed", "beyond-caps", reason)
    return None


def bounds_of(settings: AgentSettings) -> Bounds:
    """What an admitted trial may use; the defaults where the owner's file has become unusable since."""
    try:
        allowed = caps.load(settings.folder).caps
    except caps.CapsError:
        allowed = HostCaps()
    return caps.bounds(allowed, settings.folder)


def refuse_config_test(settings: AgentSettings, spec: ConfigTestSpec) -> str | None:
    """Why this host refuses to test these configurations; ``None`` where it may."""
    try:
        owner = caps.load(settings.folder)
    except caps.CapsError as error:
        return str(error)
    if "target" not in owner.caps.roles:
        return caps.role_refusal("target")
    return _foreign_binary(settings, owner, (arm.nginx.binary for arm in spec.arms))


def _foreign_binary(settings: AgentSettings, owner: caps.OwnerFile, binaries: Iterable[str]) -> str | None:
    """Only an nginx that was offered is run: whoever controls the backend must not choose any program of this host."""
    offered = registered([*owner.nginx, *settings.nginx_paths])
    foreign = next((binary for binary in binaries if binary not in offered), None)
    if foreign is None:
        return None
    return f"{foreign} is not an nginx that this host offers ({', '.join(offered) or 'none'}; see caps.toml)"
