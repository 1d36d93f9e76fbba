"""Finished runs as trends need them: what they have measured, or why they are left out."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from ngxlab_contracts.sentences import Sentence, say

from ngxlab.core.stored_json import read_or_none
from ngxlab.runs.results.run_points import ArmPoint, MetricPoints, RunPoints
from ngxlab.runs.schemas import RunRevision
from ngxlab.runs.states import RunState
from ngxlab.trends.repository import StoredRun
from ngxlab.trends.schemas import ChangedThing, LeftOutRun, TrendChange, TrendRun

_UNKNOWN = "unknown"
_PENDING = say("an older ngxlab kept no means of it: they are being computed")


@dataclass(frozen=True)
class Reading:
    """A run whose results are drawn."""

    row: StoredRun
    points: RunPoints

    def of(self, metric: str) -> MetricPoints | None:
        return next((one for one in self.points.metrics if one.name == metric), None)

    def point(self, metric: str, arm: str) -> ArmPoint:
        """A point without a mean, with the reason."""
        found = self.of(metric)
        if found is None:
            return ArmPoint(missing=say("version {version} has another primary metric", version=self.row.version))
        if found.void is not None:
            return ArmPoint(missing=say("not valid: {reason}", reason=found.void))
        return found.arms.get(arm) or ArmPoint(missing=say("it was not measured"))

    @property
    def nginx(self) -> str:
        return ", ".join(self.points.builds) or _UNKNOWN

    @property
    def host(self) -> str:
        return _by_slot(self.row.hosts, "host")

    @property
    def kernel(self) -> str:
        return _by_slot(self.row.hosts, "kernel")


def needs_means(row: StoredRun) -> bool:
    """Whether it ended with results, of which no means are kept that can be read."""
    return row.state == RunState.completed and row.is_analysed and _points(row) is None


def read(rows: Sequence[StoredRun], pending: Set[UUID]) -> tuple[list[Reading], list[LeftOutRun]]:
    """``pending``: runs of which means are being computed."""
    readings, left_out = [], []
    for row in rows:
        found = _PENDING if row.id in pending else _read(row)
        if isinstance(found, Reading):
            readings.append(found)
        else:
            is_pending = row.id in pending
            left_out.append(LeftOutRun(id=row.id, number=row.number, at=row.at, reason=found, is_pending=is_pending))
    return readings, left_out


def _read(row: StoredRun) -> Reading | Sentence:
    """Or why it is left out."""
    if row.state != RunState.completed:
        ended = say("it failed" if row.state == RunState.failed else "it was cancelled")
        reason = Sentence(row.state_reason or "").without_stop()
        return say("{ended}: {reason}", ended=ended, reason=reason) if reason else ended
    if not row.is_analysed:
        return say("its results are not computed yet")
    points = _points(row)
    if points is None:
        return say("no means of it are kept, and computing them failed: its report says more")
    reading = Reading(row, points)
    return _nothing(reading) or reading


def _points(row: StoredRun) -> RunPoints | None:
    return read_or_none(RunPoints, row.points, f"What run {row.number} adds to trends") if row.points else None


def _nothing(reading: Reading) -> Sentence | None:
    """Why nothing of it can be drawn: the reason of its first metric."""
    every = [reading.point(one.name, arm) for one in reading.points.metrics for arm in one.arms]
    if any(point.mean is not None for point in every):
        return None
    return next((point.missing for point in every if point.missing), say("none of its trials is usable"))


def run_of(reading: Reading, before: Reading | None) -> TrendRun:
    row = reading.row
    return TrendRun(
        id=row.id,
        number=row.number,
        at=row.at,
        version=row.version,
        note=row.note,
        revision=read_or_none(RunRevision, row.revision, "The revision of this run") if row.revision else None,
        notes=row.notes,
        nginx=reading.nginx,
        host=reading.host,
        kernel=reading.kernel,
        before=before.row.id if before is not None else None,
        changes=changes(reading, before) if before is not None else [],
    )


def changes(reading: Reading, before: Reading) -> list[TrendChange]:
    """Changes since the run before, as far as both are known."""
    found = []
    if reading.row.version != before.row.version:
        versions = (str(before.row.version), str(reading.row.version))
        found.append(_change("version", "definition version {before} → {now}", versions))
    if _differ(before.nginx, reading.nginx):
        builds = _builds(before.points.builds, reading.points.builds)
        found.append(_change("nginx", "{before} → {now}", builds))
    if _differ(before.host, reading.host):
        found.append(_change("host", "host {before} → {now}", (before.host, reading.host)))
    if _differ(before.kernel, reading.kernel):
        found.append(_change("kernel", "kernel {before} → {now}", (before.kernel, reading.kernel)))
    if before.points.window != reading.points.window:
        then, now = (one.points.window or say("the planned one") for one in (before, reading))
        found.append(_change("window", "measured window: {before} → {now}", (then, now)))
    return found


def _change(what: ChangedThing, template: str, values: tuple[str, str]) -> TrendChange:
    return TrendChange(what=what, text=say(template, before=values[0], now=values[1]))


def _differ(before: str, now: str) -> bool:
    return before != now and _UNKNOWN not in {before, now}


def _builds(before: Sequence[str], now: Sequence[str]) -> tuple[str, str]:
    """Builds by their versions alone, where these differ."""
    short = [", ".join(dict.fromkeys(build.partition(" (")[0] for build in builds)) for builds in (before, now)]
    return (short[0], short[1]) if short[0] != short[1] else (", ".join(before), ", ".join(now))


def _by_slot(hosts: Any, what: str) -> str:
    """One value where all slots have the same."""
    known = [one for one in hosts if isinstance(one, Mapping)] if isinstance(hosts, list) else []
    values = {str(one.get("slot")): str(one[what]) for one in known if one.get(what) is not None}
    distinct = set(values.values())
    if len(distinct) < 2:
        return next(iter(distinct), _UNKNOWN)
    return "; ".join(f"{slot}: {text}" for slot, text in sorted(values.items()))
