"""Finished runs as trends need them: what they have measured, or why they are left out."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from ngxlab.core.stored_json import read_or_none
from ngxlab.runs.results.run_points import ArmPoint, MetricPoints, RunPoints
from ngxlab.runs.states import RunState
from ngxlab.trends.repository import StoredRun
from ngxlab.trends.schemas import LeftOutRun, TrendChange, TrendRun

_UNKNOWN = "unknown"
_PENDING = "an older ngxlab kept no means of it: they are being computed"


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
            return ArmPoint(missing=f"version {self.row.version} has another primary metric")
        if found.void is not None:
            return ArmPoint(missing=f"not valid: {found.void}")
        return found.arms.get(arm) or ArmPoint(missing="it was not measured")

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


def _read(row: StoredRun) -> Reading | str:
    """Or why it is left out."""
    if row.state != RunState.completed:
        return f"it {'failed' if row.state == RunState.failed else f'was {row.state}'}" + _because(row)
    if not row.is_analysed:
        return "its results are not computed yet"
    points = _points(row)
    if points is None:
        return "no means of it are kept, and computing them failed: its report says more"
    reading = Reading(row, points)
    return _nothing(reading) or reading


def _points(row: StoredRun) -> RunPoints | None:
    return read_or_none(RunPoints, row.points, f"What run {row.number} adds to trends") if row.points else None


def _because(row: StoredRun) -> str:
    return f": {row.state_reason.rstrip('.')}" if row.state_reason else ""


def _nothing(reading: Reading) -> str | None:
    """Why nothing of it can be drawn: the reason of its first metric."""
    every = [reading.point(one.name, arm) for one in reading.points.metrics for arm in one.arms]
    if any(point.mean is not None for point in every):
        return None
    return next((point.missing for point in every if point.missing), "none of its trials is usable")


def run_of(reading: Reading, before: Reading | None) -> TrendRun:
    row = reading.row
    return TrendRun(
        id=row.id,
        number=row.number,
        at=row.at,
        version=row.version,
        note=row.note,
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
        text = f"definition version {before.row.version} → {reading.row.version}"
        found.append(TrendChange(what="version", text=text))
    if _differ(before.nginx, reading.nginx):
        found.append(TrendChange(what="nginx", text=_builds(before.points.builds, reading.points.builds)))
    if _differ(before.host, reading.host):
        found.append(TrendChange(what="host", text=f"host {before.host} → {reading.host}"))
    if _differ(before.kernel, reading.kernel):
        found.append(TrendChange(what="kernel", text=f"kernel {before.kernel} → {reading.kernel}"))
    if before.points.window != reading.points.window:
        windows = [one.points.window or "the planned one" for one in (before, reading)]
        found.append(TrendChange(what="window", text=f"measured window: {windows[0]} → {windows[1]}"))
    return found


def _differ(before: str, now: str) -> bool:
    return before != now and _UNKNOWN not in {before, now}


def _builds(before: Sequence[str], now: Sequence[str]) -> str:
    """Builds by their versions alone, where these differ."""
    short = [", ".join(dict.fromkeys(build.partition(" (")[0] for build in builds)) for builds in (before, now)]
    texts = short if short[0] != short[1] else [", ".join(before), ", ".join(now)]
    return f"{texts[0]} → {texts[1]}"


def _by_slot(hosts: Any, what: str) -> str:
    """One value where all slots have the same."""
    known = [one for one in hosts if isinstance(one, Mapping)] if isinstance(hosts, list) else []
    values = {str(one.get("slot")): str(one[what]) for one in known if one.get(what) is not None}
    distinct = set(values.values())
    if len(distinct) < 2:
        return next(iter(distinct), _UNKNOWN)
    return "; ".join(f"{slot}: {text}" for slot, text in sorted(values.items()))
