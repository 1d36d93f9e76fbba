"""One trial with what all its hosts reported."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

from ngxlab_contracts.telemetry import ActionEvent

from ngxlab.analysis.records.host_record import HostRecord
from ngxlab.analysis.records.stream_spans import Span


@dataclass(frozen=True)
class TrialRecord:
    """One trial. ``hosts`` are in any order. ``chosen``: see :func:`chosen_window.rewindowed`."""

    trial_id: UUID
    arm: str
    block: int
    position: int
    attempt: int
    state: str
    hosts: Sequence[HostRecord]
    chosen: Span | None = None

    @property
    def target(self) -> HostRecord | None:
        """The host whose nginx is under test."""
        return next((host for host in self.hosts if host.spec.nginx is not None), None)

    @property
    def loading(self) -> list[HostRecord]:
        """The hosts that run streams."""
        return [host for host in self.hosts if host.spec.streams]

    def actions(self) -> list[tuple[HostRecord, ActionEvent]]:
        """The actions of perturbations, host by host."""
        return [(host, action) for host in self.hosts for action in host.actions()]

    @cached_property
    def labels(self) -> dict[UUID, str]:
        """A unique name for each host: where two hosts have the same name, the id is added."""
        names = {host.host_id: host.name or host.hostname or str(host.host_id)[:8] for host in self.hosts}
        several = {name for name, count in Counter(names.values()).items() if count > 1}
        return {key: f"{name} ({str(key)[:8]})" if name in several else name for key, name in names.items()}
