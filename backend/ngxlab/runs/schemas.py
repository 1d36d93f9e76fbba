"""Payloads of runs and trials."""

import unicodedata
from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from ngxlab_contracts.hosts import HostRole
from ngxlab_contracts.sentences import Sentence
from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from ngxlab.analysis.gates import Outcome
from ngxlab.analysis.schemas import ChosenWindow, Sign, VerdictState
from ngxlab.core.payload import Id, OneLine, Payload, Prose
from ngxlab.definition.schema.factors import LevelValue
from ngxlab.definition.schema.plan import MOST_BLOCKS, Selection, StopRule
from ngxlab.runs.states import RunState, TrialState
from ngxlab.templates.needs import NeedResult

MOST_CHARACTERS = 32
MOST_OF_A_RUN = 20
_SIGNS = "-_."


def normal_tag(text: str) -> str:
    """The one way to write a tag: NFKC, lower case, without blanks around it or ``#`` before it.

    Raises ValueError unless it consists of letters, digits and ``-_.``, and begins with one of the first two.
    """
    plain = unicodedata.normalize("NFKC", text).strip().removeprefix("#").lower()
    tag = unicodedata.normalize("NFKC", plain)
    if not tag or not _is_letter_or_digit(tag[0]) or not all(map(_is_allowed, tag)):
        raise ValueError("consists of letters, digits, and - _ . between them, such as kernel-6.12")
    if len(tag) > MOST_CHARACTERS:
        raise ValueError(f"has at most {MOST_CHARACTERS} characters")
    return tag


def _is_letter_or_digit(character: str) -> bool:
    return unicodedata.category(character)[0] in "LN"


def _is_allowed(character: str) -> bool:
    """Marks are parts of letters, of Indian scripts for instance."""
    return character in _SIGNS or unicodedata.category(character)[0] in "LMN"


Tag = Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS), AfterValidator(normal_tag)]

_Tags = Annotated[list[Tag], Field(max_length=MOST_OF_A_RUN)]


MOST_OF_A_BRANCH = 255
_LARGEST_NUMBER = 2**31 - 1


def _branch(text: str) -> str:
    """Raises ValueError for what git takes for no name."""
    if not text.isprintable() or any(one in text for one in (" ", "..", "~", "^", ":", "?", "*", "[", "\\")):
        raise ValueError("is no name of a branch")
    return text


Branch = Annotated[OneLine, Field(min_length=1, max_length=MOST_OF_A_BRANCH), AfterValidator(_branch)]


class RunRevision(BaseModel):
    """What of a repository a run measures. ``commit``: its hash; ``branch``: its name; ``pull_request``: the number
    of a pull or merge request."""

    commit: str | None = None
    branch: str | None = None
    pull_request: int | None = None

    @property
    def text(self) -> str:
        """``branch main, commit 1a2b3c4d``."""
        words = {"branch": self.branch, "commit": self.commit, "pull request": self.pull_request}
        return ", ".join(f"{name} {value}" for name, value in words.items() if value is not None)


class RevisionChoice(Payload):
    """What of a repository a run measures. ``commit``: its hash, of 7 to 64 digits; ``branch``: its name;
    ``pull_request``: the number of a pull or merge request."""

    commit: Annotated[str, StringConstraints(to_lower=True, pattern=r"^[0-9A-Fa-f]{7,64}$")] | None = None
    branch: Branch | None = None
    pull_request: Annotated[int, Field(ge=1, le=_LARGEST_NUMBER)] | None = None


class RunCreate(Payload):
    """``hosts``: slot -> host; ``host_id`` plays every slot that is not named there. ``addresses``: which registered
    address of its host a slot's servers use. ``nginx``: slot or build -> which registered binary, by its path or
    a name that it answers to; the host's first for a slot, and the one of that name for a build, if not given. ``seed``
    determines the order of trials; drawn at random if not given. ``tags``: short words by which the run is found.
    ``version``: number of the experiment's version that is run, the latest if not given. ``revision``: what of a
    repository it measures.
    """

    version: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None
    host_id: Id | None = None
    hosts: dict[str, Id] = {}
    addresses: dict[str, str] = {}
    nginx: dict[str, str] = {}
    seed: Annotated[int, Field(ge=0, le=2**53 - 1)] | None = None
    note: Annotated[Prose, Field(max_length=500)] | None = None
    tags: _Tags = []
    revision: RevisionChoice | None = None


class RunOrigin(BaseModel):
    """The origin of a run that another installation measured. ``imported_by``: ``None`` where persons are not named."""

    origin: str = Field(description="address of the installation that exported it, as its archive says")
    author: str = Field(description="who started it there")
    imported_by: str | None
    imported_at: datetime
    signed_by: str | None = Field(description="fingerprint of the key that has signed its archive; None: unsigned")
    key_changed: bool = Field(description="earlier archives from that address were signed by another key")


class RunAnswer(BaseModel):
    """What a finished run answers to one of its questions, in words."""

    question: Sentence
    sign: Sign
    word: Sentence
    text: Sentence


class Judgement(BaseModel):
    """What the method said of a run that was over."""

    method: int = Field(description="the version of the method (docs/method.md); 0: from before versions were counted")
    judged_at: datetime | None = Field(description="when it was said first; null: from before this was noted")
    headline: Sentence
    verdict: VerdictState | None
    answers: list[RunAnswer]
    outcome: Outcome | None


class FormerJudgement(Judgement):
    """What an earlier version of the method said, where a later one says something else."""

    until: datetime = Field(description="when a later version of the method judged it anew")


class RunSummary(BaseModel):
    """A row of a runs list. ``headline``: the verdict in words; ``verdict``: its state; both once it is analysed."""

    id: UUID
    experiment_id: UUID
    experiment_name: str
    version: int
    number: int
    state: RunState
    state_code: str | None
    state_reason: Sentence | None
    note: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    created_by: str
    hosts: list[str]
    headline: Sentence | None
    verdict: VerdictState | None
    answers: list[RunAnswer] = Field(
        default=[], description="to each question; none before the end, and of runs analysed before they were kept"
    )
    outcome: Outcome | None = Field(description="of all thresholds; None if there are none, and before the end")
    starred: bool = Field(description="marked by somebody as worth keeping")
    tags: list[str] = Field(description="short words by which it is found, in alphabetical order")
    revision: RunRevision | None = Field(default=None, description="what of a repository it measures, where it is said")
    judged_differently: bool = Field(
        default=False, description="an earlier version of the method said something else; the report has what it said"
    )
    imported: RunOrigin | None = Field(default=None, description="where it was measured, if not here")


class TrialOut(BaseModel):
    """A trial in a run's grid. ``phase_at``: when it entered its current state. ``started_at``: when its load began, or
    is to begin. ``profile``: it shows where nginx spends its CPU time, belongs to no block, and no verdict counts it.
    """

    id: UUID
    position: int
    block: int
    heat: int | None = Field(
        default=None, description="of those that choose the arms; its block is one of this heat. None: it counts"
    )
    arm: str
    attempt: int
    profile: bool = False
    state: TrialState
    code: str | None
    reason: Sentence | None
    started_at: datetime | None = None
    phase_at: datetime | None
    finished_at: datetime | None
    requests_per_s: float | None
    latency_p99_us: float | None


class ArmDropped(BaseModel):
    """That a heat has dropped an arm, and why."""

    heat: int
    reason: Sentence


class RunArm(BaseModel):
    key: str
    label: str
    is_baseline: bool
    dropped: ArmDropped | None = Field(default=None, description="where the run began with many arms")


class RunPlan(BaseModel):
    blocks: int
    warmup_s: float
    measure_s: float
    cooldown_s: float
    interval_ms: int
    trials: int
    stop: StopRule
    selection: Selection | None = Field(default=None, description="how many of its arms have all blocks")
    searches: bool = Field(default=False, description="whether a stream searches for its capacity")
    draws_curve: bool = Field(default=False, description="whether a stream tries several rates for a curve")


class Progress(BaseModel):
    """The progress of a run. ``phase_ends_at`` and ``ends_at`` are estimates from the plan; None when unknown."""

    trials_done: int
    trials_total: int
    fraction: Annotated[float, Field(ge=0, le=1)]
    current_trial_id: UUID | None
    block: int | None
    heat: int | None = Field(default=None, description="while arms are chosen")
    arm: str | None
    phase: TrialState | None
    phase_ends_at: datetime | None
    ends_at: datetime | None
    waiting_for: Sentence | None = Field(description="why the run does not continue, e.g. another run holds the host")
    queue_place: int | None = Field(description="a queued run's place among those that wait for its hosts, from 1")
    held_by: UUID | None = Field(description="the run that uses a host that this one waits for")


class RunHostOut(BaseModel):
    """The host that plays a slot."""

    id: UUID
    name: str
    slot: str
    roles: list[HostRole]
    address: str


class RunFlag(BaseModel):
    """A check that warns or fails, in trials that have ended and in the readings so far of the trial under way."""

    key: str = Field(description="as in docs/checks.md, e.g. generator-saturated")
    severity: Literal["warning", "error"]
    title: str = Field(description="what a pass would mean")
    message: Sentence = Field(description="what was measured in the last of these trials")
    remedy: str | None
    trial_ids: list[UUID]


class RawRemoved(BaseModel):
    """A run's raw data is gone: its charts over time cannot be drawn, nor another window be computed."""

    at: datetime
    days: int | None = Field(
        description="the age at which the rule by age removed it; None where somebody deleted it with a host's history"
    )


class RunAsks(BaseModel):
    """A run whose first trial of some arm had errors only waits for somebody to resume or to cancel it.

    ``reason``: what was seen. ``until``: it ends as failed then, if nobody has answered.
    """

    reason: Sentence
    since: datetime
    until: datetime


class RunDetail(RunSummary):
    """Everything a run page needs except the data of its charts. ``live_seq``: the stream position of this state."""

    question: str
    template_key: str | None
    seed: int
    cancel_requested_at: datetime | None
    finish_requested_at: datetime | None = Field(description="when somebody asked to end it after the block of then")
    paused_at: datetime | None
    asks: RunAsks | None = Field(default=None, description="what it asks, while it waits for an answer")
    may_change: bool
    server_time: datetime
    live_seq: int
    arms: list[RunArm]
    plan: RunPlan
    run_hosts: list[RunHostOut]
    progress: Progress
    trials: list[TrialOut]
    verdict_so_far: Sentence | None = Field(
        description="the verdict on the complete blocks, at any look; None before the first and after the end"
    )
    most_blocks: int = Field(description="what its stop rule allows, or the planned number without one")
    added_to: list[int] = Field(
        description="how many blocks it was to have in all, each time that somebody added some after its end"
    )
    more_blocks: int | None = Field(
        description="about how many more blocks its open primary questions take; None where nothing is open, no number "
        "is known, or it goes on"
    )
    flags: list[RunFlag] = Field(description="what checks have found so far, errors first")
    raw_bytes: int | None = Field(
        description="what its readings, histograms and events take in the database; None until that was measured, "
        "soon after its end"
    )
    raw_removed: RawRemoved | None = Field(default=None, description="that its raw data was removed")


class ExperimentRuns(BaseModel):
    """A summary of one experiment's runs. ``runs_by_version``: version number -> number of its runs."""

    experiment_id: UUID
    runs: int
    runs_by_version: dict[int, int]
    last_run: RunSummary


class ArtefactOut(BaseModel):
    """A kept file of a trial."""

    name: str
    text: str
    truncated: bool


class BlocksWanted(Payload):
    blocks: int = Field(ge=2, le=MOST_BLOCKS, description="in all, with those that it has")


class ProfilesWanted(Payload):
    trials: int = Field(default=2, ge=1, le=10, description="of each arm in all, with those that it has")


class ProfilesPossible(BaseModel):
    reason: Sentence | None = Field(description="why the arms of the run cannot be profiled now; null where they can")


class TagChange(Payload):
    """What is there already is added again without effect, and what is not there is removed likewise."""

    add: _Tags = []
    remove: _Tags = []


class RunTags(BaseModel):
    """All tags of a run, in alphabetical order."""

    tags: list[str]


class FitRequest(Payload):
    """Hosts and addresses as for starting a run: ``host_id`` plays every slot that ``hosts`` does not name."""

    parameters: dict[str, LevelValue] = {}
    host_id: Id | None = None
    hosts: dict[str, Id] = {}
    addresses: dict[str, str] = {}
    nginx: dict[str, str] = {}


class TemplateFit(BaseModel):
    """``fits``: a run would start, and all needs with ``must`` are met."""

    fits: bool
    needs: list[NeedResult]


Seconds = Annotated[float, Field(ge=-600, le=3600, allow_inf_nan=False)]


class WindowChoice(Payload):
    """The window of all trials of a run. ``reason`` is shown in the report."""

    start_s: Seconds
    end_s: Seconds
    reason: Annotated[Prose, Field(max_length=300)] | None = None


class TrialWindowChoice(WindowChoice):
    """The window of one trial, an exception, which needs a reason."""

    reason: Annotated[Prose, Field(min_length=3, max_length=300)]


class WindowChangeOut(BaseModel):
    """One change. ``changed_by``: ``None`` in a shared report, which names no person."""

    trial_id: UUID | None = Field(description="None: all trials of the run")
    window: ChosenWindow | None = Field(description="None: back to the planned window")
    reason: str | None
    changed_by: str | None
    changed_at: datetime


class TrialWindow(BaseModel):
    trial_id: UUID
    window: ChosenWindow


class RunWindows(BaseModel):
    """What a report says of the windows it rests on. ``earliest_s``: when the load began.

    ``changes``: all that were made, the latest first, also those that are no longer in force.
    """

    planned: ChosenWindow
    earliest_s: float
    run: ChosenWindow | None
    trials: list[TrialWindow]
    changes: list[WindowChangeOut]
    may_choose: bool = Field(description="whether the reader may choose another window")
