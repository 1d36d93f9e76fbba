"""Runs, their trials, and what the hosts of a trial are doing."""

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from ngxlab_contracts.sentences import say
from ngxlab_contracts.trials import TrialSpec
from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Computed,
    ForeignKey,
    Index,
    Integer,
    String,
    UniqueConstraint,
    and_,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TSVECTOR
from sqlalchemy.orm import Mapped, mapped_column, relationship

from ngxlab.accounts.models import Account
from ngxlab.analysis.method import UNCOUNTED
from ngxlab.core.database import Base
from ngxlab.core.errors import Conflict
from ngxlab.core.stored_json import SentenceText, read
from ngxlab.definition.schema.definition import Definition
from ngxlab.experiments import models as experiments
from ngxlab.experiments.models import ExperimentVersion
from ngxlab.hosts.models import Host
from ngxlab.runs.states import RunState, TrialState


class RunImport(Base):
    """``origin``: the address of the installation that exported the run, as its archive says. ``author``: who started
    it there. ``calibration``: the one that was in force for it (``CalibrationUse``), since calibrations stay where
    their hosts are; ``calibration_stale``: why there was none. ``bytes``: of the unpacked archive. Its hosts are rows
    of removed hosts: names, no more. ``signed_by``: the fingerprint of the key that has signed the archive;
    ``key_changed``: earlier ones from that address had another.
    """

    __tablename__ = "run_import"

    run_id: Mapped[UUID] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"), primary_key=True)
    origin: Mapped[str]
    author: Mapped[str]
    sha256: Mapped[str]
    calibration: Mapped[dict[str, Any] | None]
    calibration_stale: Mapped[str | None]
    imported_by: Mapped[UUID] = mapped_column(ForeignKey("account.id", deferrable=True))
    imported_at: Mapped[datetime] = mapped_column(server_default=func.now())
    bytes: Mapped[int] = mapped_column(BigInteger, server_default="0")
    signed_by: Mapped[str | None]
    key_changed: Mapped[bool] = mapped_column(server_default="false")
    importer: Mapped[Account] = relationship(lazy="joined", innerjoin=True)


def _one_of(column: str, values: type[RunState] | type[TrialState]) -> str:
    return f"{column} IN ({', '.join(repr(str(value)) for value in values)})"


_WORDS = "to_tsvector('simple', coalesce(note, '') || ' ' || coalesce(analysis ->> 'headline', ''))"
_NGINX = "CASE WHEN jsonb_typeof(analysis -> 'nginx') = 'array' THEN analysis -> 'nginx' ELSE '[]' END"
_UNPACKED = "finished_at IS NOT NULL AND packed_at IS NULL AND raw_removed_at IS NULL"
_JUDGED = "finished_at IS NOT NULL AND analysis IS NOT NULL"
_UNMEASURED = "finished_at IS NOT NULL AND raw_bytes IS NULL"


class Run(Base):
    """One execution of an experiment's plan.

    ``blocks``: how many are planned so far; a stop rule may add some, and an early end, asked for at
    ``finish_requested_at``, drops some. ``added_to``: how many it was to have in all, each time that somebody added
    blocks after its end. ``builds``: the binary of each build that arms name, by its path on the target.
    ``revision``: what of a repository it measures (``RunRevision``).
    ``words``, ``verdict``, ``nginx_versions``: of note and analysis, by which lists find the run; never loaded.
    ``passed``: whether the thresholds hold, known when the run is over. ``starred``: marked by somebody as worth
    keeping. ``tags``: in alphabetical order. ``raw_bytes``: what its raw data takes in the database, measured when the
    run is over. ``packed_at``: when it was compressed (:mod:`ngxlab.metrics.blocks`). ``raw_removed_at``: when it was
    removed, and ``raw_removed_days``: the age that the rule said, if a rule did.

    ``selection``: the heats that are over, of a run that begins with many arms (``Heat``).

    ``asks``: why it asks whether to go on, while it does. ``asks_until``: it ends then if nobody has answered; it stays
    as the sign that it has asked (:mod:`ngxlab.runs.first_trials`).

    ``method``: the version of the method that has made ``analysis``, which it said first at ``judged_at``.
    ``judged_before``: what earlier versions said otherwise, the latest last (:mod:`ngxlab.runs.results.analysis`).
    ``learned``: what earlier runs had shown of the scatter when this one was created (``LearnedScatter``).

    ``live_seq`` counts everything that a viewer may see of the run. It is raised under the row's lock, so its order is
    the order of commits, and a live stream can resume from any value.
    """

    __tablename__ = "run"
    __table_args__ = (
        UniqueConstraint("experiment_id", "number"),
        CheckConstraint(_one_of("state", RunState), name="state"),
        Index("ix_run_words", "words", postgresql_using="gin"),
        Index("ix_run_tags", "tags", postgresql_using="gin"),
        Index("ix_run_created_at", "created_at", "id"),
        Index("ix_run_starred", "created_at", postgresql_where=text("starred")),
        Index("ix_run_method", "method", postgresql_where=text(_JUDGED)),
        Index("ix_run_unmeasured", "finished_at", postgresql_where=text(_UNMEASURED)),
        Index("ix_run_unpacked", "finished_at", postgresql_where=text(_UNPACKED)),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    experiment_id: Mapped[UUID] = mapped_column(ForeignKey("experiment.id"))
    experiment_version_id: Mapped[UUID] = mapped_column(ForeignKey("experiment_version.id"))
    number: Mapped[int]
    state: Mapped[str] = mapped_column(index=True)
    state_code: Mapped[str | None]
    state_reason: Mapped[str | None] = mapped_column(SentenceText)
    cancel_requested_at: Mapped[datetime | None]
    finish_requested_at: Mapped[datetime | None]
    seed: Mapped[int] = mapped_column(BigInteger)
    note: Mapped[str | None]
    created_by: Mapped[UUID] = mapped_column(ForeignKey("account.id", deferrable=True))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    live_seq: Mapped[int] = mapped_column(BigInteger, default=0)
    lease_holder: Mapped[UUID | None]
    lease_expires_at: Mapped[datetime | None]
    hinted_at: Mapped[datetime | None]
    paused_at: Mapped[datetime | None]
    asks: Mapped[str | None] = mapped_column(SentenceText)
    asks_until: Mapped[datetime | None]
    blocks: Mapped[int]
    added_to: Mapped[list[int]] = mapped_column(ARRAY(Integer), default=list, server_default="{}")
    builds: Mapped[dict[str, Any]] = mapped_column(default=dict, server_default="{}")
    learned: Mapped[list[Any]] = mapped_column(default=list, server_default="[]")
    selection: Mapped[list[Any]] = mapped_column(default=list, server_default="[]")
    analysis: Mapped[dict[str, Any] | None]
    passed: Mapped[bool | None]
    method: Mapped[int] = mapped_column(default=UNCOUNTED, server_default=str(UNCOUNTED))
    judged_at: Mapped[datetime | None]
    judged_before: Mapped[list[Any]] = mapped_column(default=list, server_default="[]")
    starred: Mapped[bool] = mapped_column(default=False, server_default="false")
    tags: Mapped[list[str]] = mapped_column(ARRAY(String), default=list, server_default="{}")
    revision: Mapped[dict[str, Any] | None]
    raw_bytes: Mapped[int | None] = mapped_column(BigInteger)
    packed_at: Mapped[datetime | None]
    raw_removed_at: Mapped[datetime | None]
    raw_removed_days: Mapped[int | None]
    words: Mapped[str | None] = mapped_column(TSVECTOR, Computed(_WORDS, persisted=True), deferred=True)
    verdict: Mapped[str | None] = mapped_column(Computed("analysis ->> 'verdict'", persisted=True), deferred=True)
    nginx_versions: Mapped[Any | None] = mapped_column(JSONB, Computed(_NGINX, persisted=True), deferred=True)
    version: Mapped[ExperimentVersion] = relationship(lazy="joined", innerjoin=True)
    author: Mapped[Account] = relationship(lazy="joined", innerjoin=True)
    hosts: Mapped[list["RunHost"]] = relationship(lazy="selectin", order_by="RunHost.slot")
    imported: Mapped[RunImport | None] = relationship(lazy="joined")


ASKED_IN_VAIN = and_(Run.asks.is_not(None), Run.asks_until < func.now())
"""The run asks whether to go on, and nobody has answered in time."""


class RunHost(Base):
    """The host that plays a slot of the definition, the address it uses, and its inventory when the run was created."""

    __tablename__ = "run_host"

    run_id: Mapped[UUID] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"), primary_key=True)
    slot: Mapped[str] = mapped_column(primary_key=True)
    host_id: Mapped[UUID] = mapped_column(ForeignKey("host.id"), index=True)
    address: Mapped[str]
    inventory: Mapped[dict[str, Any]]
    host: Mapped[Host] = relationship(lazy="joined", innerjoin=True)


PROFILE_BLOCK = 0
"""Blocks are numbered from 1; trials in this one only profile, and belong to no block of the plan."""


class Trial(Base):
    """One execution of one arm. A repeated trial is a new row with the next ``attempt``.

    ``heat``: of those that choose the arms, whose blocks are counted by themselves; ``None`` where the trial counts.
    """

    __tablename__ = "trial"
    __table_args__ = (
        UniqueConstraint("run_id", "position", "attempt"),
        CheckConstraint(_one_of("state", TrialState), name="state"),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    run_id: Mapped[UUID] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"), index=True)
    position: Mapped[int]
    block: Mapped[int]
    heat: Mapped[int | None]
    arm: Mapped[str]
    attempt: Mapped[int] = mapped_column(default=1)
    state: Mapped[str] = mapped_column(index=True)
    code: Mapped[str | None]
    reason: Mapped[str | None] = mapped_column(SentenceText)
    start_at_us: Mapped[int | None] = mapped_column(BigInteger)
    dispatched_at: Mapped[datetime | None]
    phase_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    summary: Mapped[dict[str, Any] | None]
    checks: Mapped[list[Any] | None]
    hosts: Mapped[list["TrialHost"]] = relationship(lazy="selectin", order_by="TrialHost.host_id")

    @property
    def is_profile(self) -> bool:
        """Whether it shows where nginx spends its CPU time, and measures nothing that counts."""
        return self.block == PROFILE_BLOCK

    @property
    def is_done(self) -> bool:
        """Whether the run goes on without it. A profile that failed is given up: nothing else depends on it."""
        return self.state in _DONE or (self.is_profile and self.state in _NO_PROFILE)


_DONE = {TrialState.completed, TrialState.skipped}
_NO_PROFILE = {TrialState.failed, TrialState.cancelled}


class Coordinator(Base):
    """A coordinator process that has called: a new one at each start."""

    __tablename__ = "coordinator"

    instance: Mapped[UUID] = mapped_column(primary_key=True)
    pulse_at: Mapped[datetime]
    broker_age_s: Mapped[float]
    """Seconds since it last asked Redis for messages, as of its pulse."""


class TrialHost(Base):
    """One host's share of a trial: its spec, its progress, and how much of its data is stored.

    ``clock_offset_us``: the backend's clock minus the host's, and ``began_offset_us`` as the load began: a host's clock
    is never set within a trial.
    """

    __tablename__ = "trial_host"
    __table_args__ = (Index("ix_trial_host_unfinished", "host_id", postgresql_where=text("outcome IS NULL")),)

    trial_id: Mapped[UUID] = mapped_column(ForeignKey("trial.id", ondelete="CASCADE"), primary_key=True)
    host_id: Mapped[UUID] = mapped_column(ForeignKey("host.id"), primary_key=True, index=True)
    spec: Mapped[dict[str, Any]]
    claimed_by: Mapped[UUID | None]
    phase: Mapped[str | None]
    outcome: Mapped[str | None]
    acked_seq: Mapped[int] = mapped_column(default=0)
    last_batch_at: Mapped[datetime | None]
    clock_offset_us: Mapped[int | None] = mapped_column(BigInteger)
    began_offset_us: Mapped[int | None] = mapped_column(BigInteger)
    endpoints: Mapped[list[Any]] = mapped_column(default=list)
    ended_streams: Mapped[int] = mapped_column(default=0)


def definition_of(run: Run) -> Definition:
    """As of the version that the run executes."""
    return experiments.definition_of(run.version)


def require_raw_data(run: Run) -> None:
    """Raises Conflict where the raw data of the run was removed."""
    if run.raw_removed_at is not None:
        raise Conflict(raw_removed_words(run), code="raw-data-removed")


def raw_removed_words(run: Run) -> str:
    """Why what is drawn or computed from raw data cannot be had."""
    days = run.raw_removed_days
    date = f"{run.raw_removed_at:%Y-%m-%d}"
    if days is None:
        return say("Raw data was removed on {date} with the history of a host.", date=date)
    return say("Raw data was removed on {date} by the rule of {days} days.", date=date, days=days)


def spec_of(trial: Trial, trial_host: TrialHost) -> TrialSpec:
    """What one host has to do."""
    return read(TrialSpec, trial_host.spec, f"What a host has to do in trial {trial.position + 1} ({trial.arm})")
