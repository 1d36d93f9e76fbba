"""The inventory of the machine that this process runs on."""

import hashlib
import platform
from collections.abc import Sequence
from pathlib import Path

from ngxlab_contracts.hosts import AgentIdentity, Capability, HostCaps, Inventory
from ngxlab_contracts.protocol import CURRENT
from ngxlab_contracts.version import VERSION

from ngxlab_worker.agent import caps
from ngxlab_worker.confinement import probe_confinement, probe_fence
from ngxlab_worker.core.reach import Reach
from ngxlab_worker.core.settings import AgentSettings
from ngxlab_worker.inventory import gather
from ngxlab_worker.sandbox import probe_isolation, resolve_run_as


def describe_this_host(
    user: str | None, owners_caps: HostCaps | None = None, nginx_paths: Sequence[str] = ()
) -> Inventory:
    """``user`` is NGXLAB_RUN_AS. The caps name the networks that hold where the owner names none.

    Raises ``LookupError`` where this process is root and that user does not exist.
    """
    known = owners_caps or HostCaps()
    told = known.model_copy(update={"allow_targets": Reach.of_this_host(known.allow_targets).named()})
    probe = probe_isolation(resolve_run_as(user))
    isolation = Capability(name="isolation", available=probe.available, detail=probe.detail)
    confinement = probe_confinement()
    enforcement = Capability(name="caps", available=confinement.available, detail=confinement.detail)
    fence = probe_fence()
    scripts = Capability(name="script-fence", available=fence.available, detail=fence.detail)
    return gather(VERSION, (isolation, enforcement, scripts), nginx_paths, told)


def describe_agents_host(settings: AgentSettings) -> Inventory:
    """The inventory with the caps and the nginx binaries of caps.toml. Raises ``LookupError`` and ``CapsError``."""
    owner = caps.load(settings.folder)
    return describe_this_host(settings.run_as, owner.caps, [*owner.nginx, *settings.nginx_paths])


_MACHINE_FILES = ("/etc/machine-id", "/sys/class/dmi/id/product_uuid")


def identify_agent() -> AgentIdentity:
    """This agent, and the machine it runs on. What identifies the machine leaves it as a hash only."""
    known = "\n".join(_content(path) for path in _MACHINE_FILES)
    return AgentIdentity(
        protocol=str(CURRENT),
        version=VERSION,
        hostname=platform.node()[:255],
        machine=hashlib.sha256(known.encode()).hexdigest() if known.strip() else "",
        boot_id=_content("/proc/sys/kernel/random/boot_id"),
    )


def _content(path: str) -> str:
    """Empty where it is missing, or only for root."""
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""
