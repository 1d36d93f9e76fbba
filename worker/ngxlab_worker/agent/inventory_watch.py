"""Notices that this host has changed: another nginx, other caps, a new address."""

from collections.abc import Callable

import structlog
from ngxlab_contracts.hosts import Inventory

from ngxlab_worker.agent.caps import CapsError
from ngxlab_worker.agent.shared_state import SharedState
from ngxlab_worker.core.clock import monotonic_us

INTERVAL_US = 60_000_000

log = structlog.get_logger(__name__)


class InventoryWatch:
    """Call :meth:`round` every few seconds. ``describe`` costs tens of milliseconds, so never while a trial runs.

    ``known`` is what the backend was told; ``report`` gets what differs from it.
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
        """Do not wait for the minute to pass."""
        self._due_us = 0

    def round(self) -> None:
        """Look, if it is time and the host is idle. A caps file that cannot be used leaves the last known in force."""
        if monotonic_us() < self._due_us or self._shared.active_trial() is not None:
            return
        self._due_us = monotonic_us() + INTERVAL_US
        try:
            found = self._describe()
        except CapsError as error:
            self._complain(str(error))
            return
        self._complaint = None
        if found != self._known:
            self._known = found
            self._report(found)
            log.info("this host has changed: telling the backend")

    def _complain(self, complaint: str) -> None:
        if complaint != self._complaint:
            log.error("trials are refused until this is mended", reason=complaint)
        self._complaint = complaint
