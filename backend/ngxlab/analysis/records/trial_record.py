"""One trial with what all its hosts reported."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from uuid import UUID

import numpy as np
from ngxlab_contracts.telemetry import ActionEvent, LatencyInterval, PhaseEvent
from numpy.typing import NDArray

from ngxlab.analysis.records.host_record import HostRecord
from ngxlab.analysis.records.stream_spans import Span, lasts_the_window


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


def rewindowed(record: TrialRecord, chosen: Span | None) -> TrialRecord:
    """The same trial with another window; ``chosen`` counts in seconds from the start of the planned one, on each
    host's own clock, and is negative in the warm-up. ``None``: the planned one."""
    if chosen is None:
        return record
    return replace(record, chosen=chosen, hosts=[_host(host, chosen) for host in record.hosts])


def _host(host: HostRecord, chosen: Span) -> HostRecord:
    """The plan is told of it too, so that what runs for a part of the window is judged by the chosen one."""
    timing = host.spec.timing
    moved = {"warmup_s": timing.warmup_s + chosen.start_s, "measure_s": chosen.seconds}
    spec = host.spec.model_copy(update={"timing": timing.model_copy(update=moved)})
    return replace(host, spec=spec, chosen=chosen)


_SHORTEST_US = 3_000_000
_LONGEST_US = 10_000_000


def so_far(record: TrialRecord) -> TrialRecord | None:
    """As if the measured window ended now. ``None`` until it has lasted a third of the plan, at least 3 s and no longer
    than 10 s, on every host: rates over less time say little."""
    hosts = [_cut_off(host) for host in record.hosts]
    cut = [host for host in hosts if host is not None]
    return replace(record, hosts=cut) if cut and len(cut) == len(hosts) else None


def _cut_off(host: HostRecord) -> HostRecord | None:
    start_us = host.phase_at_us("measure")
    end_us = host.phase_at_us("cooldown") or _last_reading_us(host)
    least_us = max(_SHORTEST_US, min(_LONGEST_US, host.spec.timing.measure_s * 1e6 / 3))
    if start_us is None or end_us is None or end_us - start_us < least_us:
        return None
    return replace(host, events=[*host.events, PhaseEvent(t_us=end_us, phase="cooldown")])


def _last_reading_us(host: HostRecord) -> int | None:
    ends = [int(table.t_us[-1]) for table in host.tables.values() if len(table.t_us)]
    return max([*ends, *(frame.t_us for frame in host.frames)], default=None)


def window_rates(record: TrialRecord) -> NDArray[np.float64]:
    """Requests per second of each histogram interval of the window, of streams that last it."""
    return np.array([math.fsum(map(_rate, intervals)) for intervals in window_slots(record)], np.float64)


def window_slots(record: TrialRecord, *, probes: bool = True) -> list[list[LatencyInterval]]:
    """The intervals of all streams, interval by interval of the window; ``probes``: theirs too.

    Only of streams that last the whole window: one that starts or ends within it by plan is no drift, and neither is
    one that searches for its rate, or has it from a log. Each host's time counts from the start of its own window.
    """
    by_time: dict[int, list[LatencyInterval]] = {}
    for host in record.loading:
        origin_us = host.window.start_us if host.window is not None else 0
        step_us = host.spec.sampling.histogram_interval_ms * 1000
        planned = [one for one in host.spec.streams if not one.is_steered and one.replays is None]
        streams = [one for one in planned if probes or not one.probe]
        lasting = {stream.key for stream in streams if lasts_the_window(stream, host.spec.timing)}
        for interval in host.window_intervals():
            if interval.t1_us > interval.t0_us and interval.stream in lasting:
                by_time.setdefault(round((interval.t0_us - origin_us) / step_us), []).append(interval)
    return [by_time[slot] for slot in sorted(by_time)]


def _rate(interval: LatencyInterval) -> float:
    return interval.count / ((interval.t1_us - interval.t0_us) / 1e6)
