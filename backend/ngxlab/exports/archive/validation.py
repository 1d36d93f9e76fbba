"""What an archive's content must be beyond its form, so that nothing of it can break a report, or pretend."""

import math
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

from ngxlab_contracts.hosts import Inventory
from ngxlab_contracts.profiles import Phases, Profile
from ngxlab_contracts.telemetry import LatencyInterval, ProcessEvent, StreamResult
from pydantic import ValidationError

from ngxlab.analysis.series.derivations.latency import NGINX_STREAM
from ngxlab.analysis.statistics.histograms import require_sound
from ngxlab.definition.schema.definition import Definition
from ngxlab.exports.archive import layout
from ngxlab.exports.archive.layout import ArtefactPart, EventPart, LayoutPart, RunPart, TrialPart
from ngxlab.exports.archive.reading import Archive, bad
from ngxlab.runs.states import TrialState

Key = tuple[int, int]
"""Trial and host, by their places."""


class KnownTrial(NamedTuple):
    """What must be known of a trial to judge the others and the rest."""

    id: UUID
    position: int
    attempt: int
    arm: str


@dataclass
class Content:
    """What is small enough to be kept; the rest is read again when it is stored.

    ``streams``: the keys of each host's streams in each trial; equal sets, as most are, are kept once (``kinds``).
    ``widths``: of each layout, by its id.
    """

    run: RunPart
    trials: list[KnownTrial] = field(default_factory=list)
    kinds: dict[frozenset[str], frozenset[str]] = field(default_factory=dict)
    streams: dict[Key, frozenset[str]] = field(default_factory=dict)
    widths: dict[Key, dict[int, int]] = field(default_factory=dict)


def read_all(archive: Archive) -> Content:
    """Each line once. Raises Invalid (``bad-archive``)."""
    archive.verify()
    content = Content(archive.document(layout.RUN, RunPart))
    if content.run.id != archive.manifest.run_id:
        raise bad("Its manifest is that of another run")
    _require_hosts(content.run)
    for number, trial in enumerate(archive.rows(layout.TRIALS)):
        _add_trial(content, number, trial)
    _require_trials(content)
    for rows in (_layouts, _frames, _intervals, _events, _artefacts):
        for _ in rows(archive, content):
            pass
    return content


def require_matching(content: Content, definition: Definition) -> None:
    """Whether the run is one of its definition."""
    arms, slots = {arm.key for arm in definition.arms}, set(definition.slots)
    if odd := next((trial.arm for trial in content.trials if trial.arm not in arms), None):
        raise bad(f"It has a trial of the arm {odd!r}, which its definition does not have")
    _require_heats(content.run, definition)
    if {slot for host in content.run.hosts for slot in host.slots} != slots:
        raise bad("Its hosts do not play the slots of its definition")
    if any(part.trial is not None and part.trial >= len(content.trials) for part in content.run.windows):
        raise bad("A window is of a trial that it does not have")
    if any(part.trial is not None and part.trial >= len(content.trials) for part in content.run.notes):
        raise bad("A note is on a trial that it does not have")


def _require_heats(run: RunPart, definition: Definition) -> None:
    """Whether the heats that have chosen its arms are those of its definition."""
    chosen, arms = definition.plan.selection, {arm.key for arm in definition.arms}
    for number, one in enumerate(run.selection, start=1):
        left = {own.arm for own in one.arms}
        if chosen is None or one.number != number or not left <= arms or len(left) != len(one.arms):
            raise bad("Its arms were not chosen as its definition says")
        values = [value for own in one.arms for value in own.values if value is not None]
        whole = all(len(own.values) == chosen.heat_blocks for own in one.arms)
        if not whole or not all(map(math.isfinite, values)):
            raise bad(f"Heat {number} has other values than blocks")
        arms = {own.arm for own in one.arms if own.stays}


def _require_hosts(run: RunPart) -> None:
    slots = [slot for host in run.hosts for slot in host.slots]
    if len(set(slots)) != len(slots) or len({host.id for host in run.hosts}) != len(run.hosts):
        raise bad("Two hosts have the same id or play the same slot")
    for host in run.hosts:
        try:
            Inventory.model_validate(host.inventory, extra="ignore")
        except ValidationError as error:
            raise bad(f"The inventory of {host.name}: {error.errors()[0]['msg']}") from None
    for change in run.windows:
        if (change.start_s is None) != (change.end_s is None) or (change.start_s or 0) > (change.end_s or 0):
            raise bad("A window ends before it begins")
    if any(note.t_s is not None and note.trial is None for note in run.notes):
        raise bad("A note is on a moment of no trial")
    if len({note.id for note in run.notes}) != len(run.notes):
        raise bad("Two notes have the same id")


def _add_trial(content: Content, number: int, trial: TrialPart) -> None:
    if number >= layout.MOST_TRIALS:
        raise bad(f"It has more than {layout.MOST_TRIALS} trials")
    if not trial.state.final and trial.state != TrialState.pending:
        raise bad(f"Trial {number + 1} is still {trial.state}")
    if trial.summary is not None and trial.summary.trial_id != trial.id:
        raise bad("A summary is of another trial")
    content.trials.append(KnownTrial(trial.id, trial.position, trial.attempt, sys.intern(trial.arm)))
    for share in trial.hosts:
        key = (number, share.host)
        if share.host >= len(content.run.hosts) or key in content.streams:
            raise bad(f"Trial {number + 1} has a host that the run does not have, or has it twice")
        streams = frozenset((NGINX_STREAM, *(stream.key for stream in share.spec.streams)))
        content.streams[key] = content.kinds.setdefault(streams, streams)
    if len(content.streams) > layout.MOST_SHARES or len(content.kinds) > layout.MOST_KINDS:
        raise bad(
            f"Its trials have more than {layout.MOST_SHARES:,} hosts in all, or {layout.MOST_KINDS:,} different sets "
            "of streams"
        )


def _require_trials(content: Content) -> None:
    ids = {trial.id for trial in content.trials}
    places = {(trial.position, trial.attempt) for trial in content.trials}
    if not len(ids) == len(places) == len(content.trials):
        raise bad("Two trials have the same id or the same place")


def _known(content: Content, trial: int, host: int) -> Key:
    if (trial, host) not in content.streams:
        raise bad(f"It has data of host {host} in trial {trial}, who took no part in it")
    return trial, host


def _require_few(counts: Counter[Key], place: Key, most: int, what: str) -> None:
    counts[place] += 1
    if counts[place] > most:
        raise bad(f"A host has more than {most:,} {what} in one trial")


def _layouts(archive: Archive, content: Content) -> Iterator[None]:
    row: LayoutPart
    for number, row in enumerate(archive.rows(layout.LAYOUTS)):
        widths = content.widths.setdefault(_known(content, row.trial, row.host), {})
        if number >= layout.MOST_LAYOUTS_IN_ALL or len(widths) >= layout.MOST_LAYOUTS:
            raise bad(f"It has more than {layout.MOST_LAYOUTS_IN_ALL:,} layouts, or one host too many in one trial")
        if row.id in widths:
            raise bad(f"Layout {row.id} is declared twice")
        widths[row.id] = len(row.series)
        yield


def _frames(archive: Archive, content: Content) -> Iterator[None]:
    for trial, host, number, _, _, values in archive.rows(layout.FRAMES):
        if content.widths.get((trial, host), {}).get(number) != len(values):
            raise bad(f"A frame has {len(values)} values, which its layout {number} does not")
        yield


def _intervals(archive: Archive, content: Content) -> Iterator[None]:
    for trial, host, *row in archive.rows(layout.INTERVALS):
        interval = _interval(row)
        if interval.stream not in content.streams[_known(content, trial, host)]:
            raise bad(f"It has a histogram of the stream {interval.stream!r}, which is not in that trial")
        yield


def _interval(row: list[Any]) -> LatencyInterval:
    names = ("stream", "t0_us", "t1_us", "count", "histogram", "quantity")
    try:
        found = LatencyInterval.model_validate(dict(zip(names, row, strict=True)))
        if found.t1_us < found.t0_us:
            raise bad("A histogram ends before it begins")
        if found.histogram is not None:
            require_sound(found.histogram, found.count, may_hold_more=found.quantity == "latency")
    except (ValidationError, ValueError) as error:
        raise bad(f"A histogram cannot be read: {str(error).splitlines()[0]}") from None
    return found


def _events(archive: Archive, content: Content) -> Iterator[None]:
    profiles: Counter[Key] = Counter()
    phases: Counter[Key] = Counter()
    row: EventPart
    for row in archive.rows(layout.EVENTS):
        place = _known(content, row.trial, row.host)
        if isinstance(row.event, Profile):
            _require_few(profiles, place, 1, "profiles")
        if isinstance(row.event, Phases):
            _require_few(phases, place, 1, "phases")
        streams = content.streams[place]
        stream = row.event.stream if isinstance(row.event, StreamResult | ProcessEvent) else None
        if stream is not None and stream not in streams:
            raise bad(f"It has an event of the stream {stream!r}, which is not in that trial")
        yield


def _artefacts(archive: Archive, content: Content) -> Iterator[None]:
    counts: Counter[Key] = Counter()
    seen: set[tuple[int, int, str]] = set()
    row: ArtefactPart
    for row in archive.rows(layout.ARTEFACTS):
        place = _known(content, row.trial, row.host)
        _require_few(counts, place, layout.MOST_KEPT_FILES, "kept files")
        key = (*place, row.file.name)
        if key in seen:
            raise bad("Two kept files of a trial have the same name")
        seen.add(key)
        yield
