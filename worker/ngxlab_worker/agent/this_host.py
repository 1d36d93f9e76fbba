"""The machine that this process runs on: its inventory, and how it changes."""

import hashlib
import platform
from collections.abc import Callable, Sequence
from pathlib import Path

import structlog
from ngxlab_contracts.hosts import AgentIdentity, HostCaps, Inventory
from ngxlab_contracts.protocol import CURRENT
from ngxlab_contracts.version import VERSION

from ngxlab_worker.agent import caps
from ngxlab_worker.agent.shared_state import SharedState
from ngxlab_worker.confinement import probe_confinement, probe_fence
from ngxlab_worker.core.clock import monotonic_us
from ngxlab_worker.core.reach import Reach
from ngxlab_worker.core.settings import AgentSettings
from ngxlab_worker.inventory import gather
from ngxlab_worker.sandbox import probe_isolation, probe_network, probe_system_calls, resolve_run_as


def describe_this_host(
    user: str | None, owners_caps: HostCaps | None = None, nginx_paths: Sequence[str] = ()
) -> Inventory:
    """``user`` is NGXLAB_RUN_AS. The caps name the networks that hold where the owner names none.

    Raises ``LookupError`` where this process is root and that user does not exist.
    """
    known = owners_caps or HostCaps()
    told = known.model_copy(update={"allow_targets": Reach.of_this_host(known.allow_targets).named()})
    containment = (
        probe_isolation(resolve_run_as(user)),
        probe_network(),
        probe_system_calls(),
        probe_confinement(),
        probe_fence(),
    )
    return gather(VERSION, containment, nginx_paths, told)


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


INTERVAL_US = 60_000_000

log = structlog.get_logger(__name__)


class InventoryWatch:
    """Notices changes, such as another nginx, other caps, or a new address. Call :meth:`round` every few seconds.

    ``describe`` takes tens of milliseconds: never during a trial. ``known`` is what the backend was told; ``report`` is
    called with an inventory that differs from it.
    """

    def __init__(
        self,
        known: Inventory,
        describe: Callable[[], Inventory],
        report: Callable[[Inventory], None],
        shared: SharedState,
    ) -> None:
        self._known = known
        self._describe = describe
        self._report = report
        self._shared = shared
        self._due_us = monotonic_us() + INTERVAL_US
        self._complaint: str | None = None

    def look_now(self) -> None:
        """Look in the next round instead of once a minute."""
        self._due_us = 0

    def round(self) -> None:
        """Look, if it is time and no trial runs. A caps file that cannot be used leaves the last inventory in force."""
        if monotonic_us() < self._due_us or self._shared.active_trial() is not None:
            return
        self._due_us = monotonic_us() + INTERVAL_US
        try:
            described = self._describe()
        except caps.CapsError as error:
            self._complain(str(error))
            return
        self._complaint = None
        if described != self._known:
            self._known = described
            self._report(described)
            log.info("this host has changed: telling the backend")

    def _complain(self, complaint: str) -> None:
        if complaint != self._complaint:
            log.error("trials are refused until this is fixed", reason=complaint)
        self._complaint = complaint
