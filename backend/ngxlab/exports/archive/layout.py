"""What an archive of a run consists of: its files, and the models of their content.

Rows name a trial by its place in ``trials.ndjson`` and a host by its place in ``run.json``, from 0.
"""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from ngxlab_contracts.sentences import Sentence
from ngxlab_contracts.telemetry import Artefact, Event, SeriesDef
from ngxlab_contracts.trials import TrialSpec
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, TypeAdapter

from ngxlab.analysis.gates import Outcome
from ngxlab.analysis.schemas import (
    CalibrationUse,
    CheckResult,
    Heat,
    LearnedScatter,
    TrialSummary,
    VerdictState,
)
from ngxlab.core.payload import MOST_POSITION, Name, OneLine, Prose, ascii_address
from ngxlab.core.signing import Signature
from ngxlab.metrics.damage import LATEST_US
from ngxlab.notes.schemas import MOST_CHARACTERS, MOST_OF_A_RUN
from ngxlab.runs.schemas import MOST_OF_A_BRANCH, RunAnswer
from ngxlab.runs.states import RunState, TrialState

FORMAT, VERSION = "ngxlab-run", 1
MANIFEST, RUN, TRIALS = "manifest.json", "run.json", "trials.ndjson"
LAYOUTS, FRAMES, INTERVALS = "layouts.ndjson", "frames.ndjson", "intervals.ndjson"
EVENTS, ARTEFACTS, SUMMARY = "events.ndjson", "artefacts.ndjson", "report.md"
CONTENT = (RUN, TRIALS, LAYOUTS, FRAMES, INTERVALS, EVENTS, ARTEFACTS, SUMMARY)
"""Files in the order in which they are read. ``report.md`` is for people; nothing is read from it."""

NUMBERS = frozenset({FRAMES, INTERVALS})

MOST_TRIALS, MOST_HOSTS = 10_000, 100
MOST_LAYOUTS, MOST_KEPT_FILES = 4_096, 1_024
"""Limits for a host in a trial."""
MOST_LAYOUTS_IN_ALL, MOST_SHARES, MOST_KINDS = 500_000, 100_000, 10_000
"""In all; shares: hosts in trials; kinds: different sets of streams."""
MOST_BYTES = dict.fromkeys(CONTENT, 256 << 20) | {RUN: 16 << 20, SUMMARY: 16 << 20} | dict.fromkeys(NUMBERS, 4 << 30)
"""Unpacked. Numbers are read line by line and never kept; the others are read by far smaller pieces than they have."""
_LONGEST_HEADLINE = 256_000
"""It has a sentence for each arm and primary metric."""
_Text = Annotated[str, Field(max_length=4_000)]
_MOST_JUDGEMENTS = 1_000
_MOST_LEARNED = 10_000
MOST_HEATS = 20
"""Each drops about half of the arms."""
_Key = Annotated[str, Field(min_length=1, max_length=200)]
_SINCE, _UNTIL = datetime(1990, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)


def _likely(instant: datetime) -> datetime:
    if not _SINCE <= instant < _UNTIL:
        raise ValueError(f"is not between the years {_SINCE.year} and {_UNTIL.year}")
    return instant


def _bounded(sentence: Sentence) -> Sentence:
    if len(sentence) > _LONGEST_HEADLINE:
        raise ValueError(f"has more than {_LONGEST_HEADLINE} characters")
    return sentence


_Said = Annotated[Sentence, AfterValidator(_bounded)]
_Instant = Annotated[AwareDatetime, AfterValidator(_likely)]
"""No run was measured at another time, and not every database has a place for it."""
_Time = Annotated[int, Field(ge=-LATEST_US, le=LATEST_US)]
_Place = Annotated[int, Field(ge=0, lt=MOST_TRIALS)]
_Small = Annotated[int, Field(ge=0, le=2**15 - 1)]
_Count = Annotated[int, Field(ge=0, le=2**31 - 1)]
_Value = Annotated[float, Field(allow_inf_nan=False, ge=-1e24, le=1e24)]


class Part(BaseModel):
    """Closed: an archive of a later version has another number."""

    model_config = ConfigDict(extra="forbid")


class FileEntry(Part):
    name: Literal[CONTENT]  # type: ignore[valid-type]
    bytes: int = Field(ge=0)
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class Manifest(Part):
    """``origin``: the address of the installation that wrote it. ``signature``: of all else, by its key."""

    format: Literal["ngxlab-run"]
    version: Literal[1]
    origin: Annotated[OneLine, Field(max_length=300), AfterValidator(ascii_address)]
    written_at: _Instant
    run_id: UUID
    files: Annotated[list[FileEntry], Field(max_length=len(CONTENT))]
    signature: Signature | None = None


class HostPart(Part):
    """``slots``: those that it plays. ``inventory``: as of the start of the run, without addresses."""

    id: UUID
    name: Name
    slots: Annotated[list[_Key], Field(min_length=1, max_length=100)]
    inventory: dict[str, Any]


class WindowPart(Part):
    """A change of the measured window, as in ``runs.windows.models``."""

    trial: _Place | None
    start_s: _Value | None
    end_s: _Value | None
    reason: _Text | None
    changed_by: Annotated[OneLine, Field(max_length=120)]
    changed_at: _Instant


class NotePart(Part):
    """As in ``notes.models``. ``text`` may be longer than one that is written here: what stands for a short address in
    it is not that short."""

    id: UUID
    trial: _Place | None
    t_s: _Value | None
    text: Annotated[Prose, Field(min_length=1, max_length=3 * MOST_CHARACTERS)]
    author: Annotated[OneLine, Field(max_length=120)]
    created_at: _Instant
    edited_at: _Instant | None


class JudgementPart(Part):
    """What a version of the method said of the run. The last of them is in force where the archive was written: it has
    no ``until``."""

    method: Annotated[int, Field(ge=0, le=2**31 - 1)]
    judged_at: _Instant | None
    headline: _Said
    verdict: VerdictState | None
    answers: Annotated[list[RunAnswer], Field(max_length=1_000)]
    outcome: Outcome | None
    until: _Instant | None = None


class ExperimentPart(Part):
    id: UUID
    name: Name
    template_key: _Key | None
    version: Annotated[int, Field(ge=1, le=2**31 - 1)]
    definition: dict[str, Any]


class RevisionPart(Part):
    """As ``RunRevision``. What stands for a short address in a name is not that short."""

    commit: Annotated[str, Field(pattern=r"^[0-9a-f]{7,64}$")] | None = None
    branch: Annotated[OneLine, Field(min_length=1, max_length=3 * MOST_OF_A_BRANCH)] | None = None
    pull_request: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None


class RunPart(Part):
    """``author``: who started it, as far as others may know."""

    id: UUID
    number: Annotated[int, Field(ge=1, le=2**31 - 1)]
    state: Literal[RunState.completed, RunState.failed, RunState.cancelled]
    state_code: _Text | None
    state_reason: _Text | None
    cancel_requested_at: _Instant | None
    finish_requested_at: _Instant | None
    seed: Annotated[int, Field(ge=0, le=MOST_POSITION)]
    note: _Text | None
    created_at: _Instant
    started_at: _Instant | None
    finished_at: _Instant | None
    blocks: Annotated[int, Field(ge=1, le=MOST_TRIALS)]
    added_to: Annotated[list[Annotated[int, Field(ge=1, le=MOST_TRIALS)]], Field(max_length=100)] = []
    builds: dict[_Key, _Text]
    learned: Annotated[list[LearnedScatter], Field(max_length=_MOST_LEARNED)] = []
    selection: Annotated[list[Heat], Field(max_length=MOST_HEATS)] = []
    revision: RevisionPart | None = None
    author: Annotated[OneLine, Field(max_length=120)]
    experiment: ExperimentPart
    hosts: Annotated[list[HostPart], Field(min_length=1, max_length=MOST_HOSTS)]
    windows: Annotated[list[WindowPart], Field(max_length=10_000)]
    notes: Annotated[list[NotePart], Field(max_length=MOST_OF_A_RUN)]
    judgements: Annotated[list[JudgementPart], Field(max_length=_MOST_JUDGEMENTS)] = []
    calibration: CalibrationUse | None
    calibration_stale: _Text | None


class TrialHostPart(Part):
    host: Annotated[int, Field(ge=0, lt=MOST_HOSTS)]
    spec: TrialSpec
    phase: _Key | None
    outcome: _Key | None
    acked_seq: _Count
    last_batch_at: _Instant | None
    clock_offset_us: _Time | None
    ended_streams: _Count


class TrialPart(Part):
    id: UUID
    position: _Count
    block: _Count
    heat: Annotated[int, Field(ge=1, le=MOST_HEATS)] | None = None
    arm: _Key
    attempt: Annotated[int, Field(ge=1, le=100)]
    state: TrialState
    code: _Text | None
    reason: _Text | None
    start_at_us: _Time | None
    dispatched_at: _Instant | None
    phase_at: _Instant | None
    finished_at: _Instant | None
    summary: TrialSummary | None
    checks: list[CheckResult] | None
    hosts: Annotated[list[TrialHostPart], Field(max_length=MOST_HOSTS)]


class LayoutPart(Part):
    trial: _Place
    host: _Place
    id: _Small
    collector: _Key
    series: Annotated[list[SeriesDef], Field(max_length=10_000)]


class EventPart(Part):
    trial: _Place
    host: _Place
    t_us: _Time
    event: Event


class ArtefactPart(Part):
    trial: _Place
    host: _Place
    file: Artefact


FrameLine = tuple[_Place, _Place, _Small, _Time, _Count, Annotated[list[_Value | None], Field(max_length=10_000)]]
"""Trial, host, layout, t_us, took_us, values."""
IntervalLine = tuple[_Place, _Place, _Key, _Time, _Time, Annotated[int, Field(ge=0, le=2**53)], str | None, _Key]
"""Trial, host, stream, t0_us, t1_us, count, histogram, quantity."""

LINES: dict[str, TypeAdapter[Any]] = {
    TRIALS: TypeAdapter(TrialPart),
    LAYOUTS: TypeAdapter(LayoutPart),
    FRAMES: TypeAdapter(FrameLine),
    INTERVALS: TypeAdapter(IntervalLine),
    EVENTS: TypeAdapter(EventPart),
    ARTEFACTS: TypeAdapter(ArtefactPart),
}
