"""What happened around a moment of a trial: events and log lines near it, and the series that were unlike themselves.

Nothing here is said to cause anything: it is what to look at. A reading stands out where it lies far outside what the
same line does shortly before and after.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal

import numpy as np
from ngxlab_contracts.sentences import Sentence, say
from ngxlab_contracts.telemetry import Artefact, Event, NoteEvent, PhaseEvent, ProcessEvent, TrialEnd
from numpy.typing import NDArray

from ngxlab.analysis.series.moment_schemas import MomentEvent, MomentJump
from ngxlab.analysis.series.schemas import DerivedSeries

AROUND = 10
"""Lines are compared with what they do within so many times the half width of the moment."""
_LEAST_POINTS = 8
_FAR = 6.0
"""Standard deviations, as the median deviation tells them, beyond which a reading stands out."""
_AT_LEAST = 0.1
"""And by so much of its usual value at least."""
_LEAST_PERCENT = 1.0
"""Of a share: less of the time is little, however seldom it is."""
_NORMAL = 1.4826
"""A standard deviation of normal scatter, in median deviations."""
MOST_JUMPS, MOST_LINES = 12, 40
_LOGGED = re.compile(r"^(\d{4}/\d\d/\d\d \d\d:\d\d:\d\d) (\[[a-z]+\].*)$")
_LONGEST_LINE = 500
_ZONE_S = 900
"""Time zones differ by multiples of a quarter of an hour."""
_BROKEN_ZONES = (-38, -14, -10, 14, 18, 22, 23, 26, 35, 38, 42, 51, 55)
"""In quarters of an hour: those of the time zones in use (tz database) that are no whole hours."""
_ZONES = sorted({*range(-48, 57, 4), *_BROKEN_ZONES})
_SLACK_S = 2.0
"""The log's clock tells whole seconds."""
NEIGHBOURS = "other processes"
_OWN = ("worker_cpu_share", "generator_cpu_share", "upstream_cpu_share", "agent_cpu_share")
_BUSY = ("user", "system", "nice")


def events_near(host: str, events: Iterable[Event], at_s: float, within_s: float) -> list[MomentEvent]:
    """What a host reported then, but for the actions of perturbations. Times are seconds of the measured window."""
    told = list(events)
    origin_us = next((one.t_us for one in told if isinstance(one, PhaseEvent) and one.phase == "measure"), None)
    if origin_us is None:
        return []
    found = _logged(host, told, origin_us, at_s, within_s)[:MOST_LINES]
    for event in told:
        t_s = (event.t_us - origin_us) / 1e6
        if abs(t_s - at_s) <= within_s and (said := _said(event)) is not None:
            found.append(MomentEvent(kind=_KINDS[type(event)], t_s=t_s, until_s=t_s, host=host, text=said))
    return sorted(found, key=lambda one: one.t_s)


def unknown_near(host: str, events: Iterable[Event], at_s: float, within_s: float) -> list[Sentence]:
    """What is not known of the error log of a host with nginx at that moment, or not shown."""
    told = list(events)
    origin_us = next((one.t_us for one in told if isinstance(one, PhaseEvent) and one.phase == "measure"), None)
    log = _error_log(told)
    if log is None:
        has_ended = any(isinstance(one, TrialEnd) for one in told)
        return [] if has_ended else [say("nginx's error log on {host} comes as the trial ends", host=host)]
    if origin_us is None:
        return []
    lines, zone_s = _dated(log.text), _zone_s(told)
    if lines and zone_s is None:
        return [say("when the lines of nginx's error log on {host} came is not known, for want of its zone", host=host)]
    found: list[Sentence] = []
    last_s = max((after_s - origin_us / 1e6 - (zone_s or 0) for after_s, _ in lines), default=-math.inf)
    if log.truncated and last_s < at_s + within_s:
        found.append(say("nginx's error log on {host} was cut before or at this moment, being too long", host=host))
    if (near := len(_logged(host, told, origin_us, at_s, within_s))) > MOST_LINES:
        text = say(
            "of nginx's error log on {host}, {shown} of {near} lines are shown", host=host, shown=MOST_LINES, near=near
        )
        found.append(text)
    return found


_KINDS: Mapping[type, Literal["phase", "note", "process"]] = {
    PhaseEvent: "phase",
    NoteEvent: "note",
    ProcessEvent: "process",
}
_PHASES = {
    "warmup": say("the load began"),
    "measure": say("the measured window began"),
    "cooldown": say("the measured window ended"),
}


def _said(event: Event) -> Sentence | None:
    if isinstance(event, PhaseEvent):
        return _PHASES.get(event.phase)
    if isinstance(event, NoteEvent):
        return Sentence(event.message)
    if isinstance(event, ProcessEvent) and event.role == "nginx-worker":
        return say("worker {index} of nginx began", index=event.index + 1)
    return None


def _error_log(told: Iterable[Event]) -> Artefact | None:
    return next((one for one in told if isinstance(one, Artefact) and one.name == "error.log"), None)


def _logged(host: str, told: Sequence[Event], origin_us: int, at_s: float, within_s: float) -> list[MomentEvent]:
    """Lines of nginx's error log, whose clock tells whole seconds; none where its zone is not known."""
    log, zone_s = _error_log(told), _zone_s(told)
    if log is None or zone_s is None:
        return []
    found: list[MomentEvent] = []
    for after_s, line in _dated(log.text):
        t_s = after_s - origin_us / 1e6 - zone_s
        if t_s + 1 >= at_s - within_s and t_s <= at_s + within_s:
            text = Sentence(line[:_LONGEST_LINE])
            found.append(MomentEvent(kind="log", t_s=t_s, until_s=t_s + 1, host=host, text=text))
    return found


def _zone_s(told: Sequence[Event]) -> float | None:
    """The zone of the log's clock: the only one in use that has all lines within the trial;
    ``None`` where several have, or none."""
    log = _error_log(told)
    lines = [after_s for after_s, _ in _dated(log.text)] if log is not None else []
    others = [one for one in told if not isinstance(one, Artefact)]
    if not lines or not others:
        return None
    begin_s = min(one.t_us for one in others) / 1e6 - _SLACK_S
    end_s = max(one.t_us for one in others) / 1e6 + _SLACK_S
    first_s, last_s = min(lines), max(lines)
    zones = [_ZONE_S * zone for zone in _ZONES]
    fitting = [zone for zone in zones if begin_s <= first_s - zone and last_s - zone <= end_s]
    return fitting[0] if len(fitting) == 1 else None


def _dated(log: str) -> list[tuple[float, str]]:
    """The lines that have a time, with it."""
    told = (_LOGGED.match(line) for line in log.splitlines())
    dated = [(_seconds(one[1]), one[2]) for one in told if one is not None]
    return [(after_s, line) for after_s, line in dated if not math.isnan(after_s)]


def _seconds(told: str) -> float:
    """Since the epoch, as if it were UTC; NaN for what is no time."""
    try:
        return datetime.strptime(told, "%Y/%m/%d %H:%M:%S").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return math.nan


def jumps_near(lines: Sequence[DerivedSeries], at_s: float, within_s: float) -> list[MomentJump]:
    """The lines that stood out within so many seconds of a moment, those farthest from their usual values first."""
    found = [jump for line in [*lines, *_neighbours(lines)] if (jump := _jump(line, at_s, within_s)) is not None]
    return [jump for _, jump in sorted(found, key=lambda one: -one[0])[:MOST_JUMPS]]


def _jump(line: DerivedSeries, at_s: float, within_s: float) -> tuple[float, MomentJump] | None:
    """With how far it stood out, in standard deviations."""
    t_s, values = _columns(line)
    distance = np.abs(t_s - at_s)
    near, elsewhere = values[distance <= within_s], values[(distance > within_s) & (distance <= AROUND * within_s)]
    if not near.size or elsewhere.size < _LEAST_POINTS:
        return None
    usual = float(np.median(elsewhere))
    deviation = _NORMAL * float(np.median(np.abs(elsewhere - usual)))
    place = int(np.argmax(np.abs(near - usual)))
    value = float(near[place])
    beyond = abs(value - usual)
    least = max(_AT_LEAST * abs(usual), deviation * _FAR, _LEAST_PERCENT if line.unit == "%" else 0.0)
    if beyond <= least or beyond <= float(np.max(np.abs(elsewhere - usual))):
        return None
    far = beyond / max(deviation, _AT_LEAST * abs(usual) / _FAR, 1e-3 * beyond)
    at = float(t_s[distance <= within_s][place])
    return far, MomentJump(key=line.key, label=line.label, unit=line.unit, t_s=at, value=value, usual=usual)


def _columns(line: DerivedSeries) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    known = [(t_s, value) for t_s, value in line.points if value is not None]
    t_s, values = np.array(known, np.float64).reshape(-1, 2).T
    return t_s, values


def _neighbours(lines: Sequence[DerivedSeries]) -> Iterator[DerivedSeries]:
    """CPU time of the target that nothing of the trial used, in percent of all its CPUs: its own lines, which name no
    host, less those of nginx, generators, upstream servers and the agent, in percent of one CPU each."""
    busy = [line for line in lines if line.key == "cpu_share" and line.label in _BUSY]
    cpus = sum(line.key == "cpu_busy_share" and ":" not in line.label for line in lines)
    if not busy or not cpus:
        return
    at, _ = _columns(busy[0])
    if not at.size:
        return
    own = [line for line in lines if line.key in _OWN and ":" not in line.label]
    used = _sum(busy, at) - _sum(own, at) / cpus
    points = [(float(t_s), max(0.0, float(value))) for t_s, value in zip(at, used, strict=True) if math.isfinite(value)]
    yield DerivedSeries(key="cpu_share", label=NEIGHBOURS, unit="%", points=points)


def _sum(lines: Sequence[DerivedSeries], at: NDArray[np.float64]) -> NDArray[np.float64]:
    total = np.zeros_like(at)
    for line in lines:
        t_s, values = _columns(line)
        if t_s.size:
            total += np.interp(at, t_s, values)
    return total
