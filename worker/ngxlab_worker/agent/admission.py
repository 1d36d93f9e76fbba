"""What this host lets others have it do, whatever the server says: within its owner's caps, and with its own nginx."""

from collections.abc import Iterable

from ngxlab_contracts.config_test import ConfigTestSpec
from ngxlab_contracts.trials import TrialSpec

from ngxlab_worker.agent import caps
from ngxlab_worker.core.settings import AgentSettings
from ngxlab_worker.inventory.nginx import registered
from ngxlab_worker.trial.failure import Outcome


def refuse_trial(settings: AgentSettings, spec: TrialSpec) -> Outcome | None:
    """How a trial ends that may not begin here; ``None`` where it may."""
    try:
        owner = caps.load(settings.folder)
    except caps.CapsError as error:
        return Outcome("failed", "beyond-caps", str(error))
    binaries = [part.binary for part in (spec.nginx, *spec.upstream_servers) if part is not None]
    if reason := _strange_binary(settings, owner, binaries):
        return Outcome("failed", "unknown-binary", reason)
    if reason := caps.refusal(owner.caps, spec):
        return Outcome("failed", "beyond-caps", reason)
    return None


def refuse_config_test(settings: AgentSettings, spec: ConfigTestSpec) -> str | None:
    """Why these configurations may not be tested here, if they may not."""
    try:
        owner = caps.load(settings.folder)
    except caps.CapsError as error:
        return str(error)
    if "target" not in owner.caps.roles:
        return "the owner of this host does not let it be a target"
    return _strange_binary(settings, owner, (arm.nginx.binary for arm in spec.arms))


def _strange_binary(settings: AgentSettings, owner: caps.OwnerFile, binaries: Iterable[str]) -> str | None:
    """Only what was offered is run: whoever controls the server must not choose among all programs of this host."""
    offered = registered([*owner.nginx, *settings.nginx_paths])
    strange = next((binary for binary in binaries if binary not in offered), None)
    if strange is None:
        return None
    return f"{strange} is not an nginx that this host offers ({', '.join(offered) or 'it offers none'})"
