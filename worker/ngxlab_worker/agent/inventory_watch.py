"""Notices changes of this host, such as another nginx, other caps, or a new address."""

from collections.abc import Callable

import structlog
from ngxlab_contracts.hosts import Inventory

from ngxlab_worker.agent.caps import CapsError
from ngxlab_worker.agent.shared_state import SharedState
from ngxlab_worker.core.clock import monotonic_us

INTERVAL_US = 60_000_000

log = structlog.get_logger(__name__)


class InventoryWatch:
    """Call :meth:`round` every few seconds. ``describe`` takes tens of milliseconds: never during a trial.

    ``known`` is what the backend was told; ``report`` is called with an inventory that differs from it.
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
        except CapsError as error:
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
