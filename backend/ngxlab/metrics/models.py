"""Raw telemetry as the agents reported it. Rates are derived when it is read, never stored (ADR 1)."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, BigInteger, Double, Identity, Index, Integer, SmallInteger, Uuid, func, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Mapped, mapped_column

from ngxlab.core.database import Base

# These tables have no foreign keys: only code that holds the lock on the trial host writes them, or a claim to trials
# that are still to come (:mod:`ngxlab.metrics.staging`), and checking a key for every row would cost more than the row.


class LayoutRow(Base):
    """The columns of a collector's frames, declared once in a trial."""

    __tablename__ = "layout"

    trial_id: Mapped[UUID] = mapped_column(primary_key=True)
    host_id: Mapped[UUID] = mapped_column(primary_key=True)
    id: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    collector: Mapped[str]
    series: Mapped[list[Any]]


class FrameRow(Base):
    """One reading of one collector: all its values in one row, in the order of its layout."""

    __tablename__ = "frame"
    __table_args__ = (Index(None, "trial_id", "host_id", "layout", "t_us"),)

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    trial_id: Mapped[UUID]
    host_id: Mapped[UUID]
    layout: Mapped[int] = mapped_column(SmallInteger)
    t_us: Mapped[int] = mapped_column(BigInteger)
    took_us: Mapped[int] = mapped_column(Integer)
    live_seq: Mapped[int] = mapped_column(BigInteger)
    values: Mapped[list[float | None]] = mapped_column(ARRAY(Double))


class LatencyIntervalRow(Base):
    """A delta histogram of one stream: the responses completed in ``[t0_us, t1_us)``; see the contract's Quantity."""

    __tablename__ = "latency_interval"
    __table_args__ = (Index(None, "trial_id", "host_id", "t0_us"),)

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    trial_id: Mapped[UUID]
    host_id: Mapped[UUID]
    stream: Mapped[str]
    t0_us: Mapped[int] = mapped_column(BigInteger)
    t1_us: Mapped[int] = mapped_column(BigInteger)
    count: Mapped[int] = mapped_column(BigInteger)
    histogram: Mapped[str | None]
    quantity: Mapped[str] = mapped_column(server_default="latency")
    live_seq: Mapped[int] = mapped_column(BigInteger)


class FrameBlockRow(Base):
    """Successive readings of one layout of a trial that is over (:mod:`ngxlab.metrics.blocks.readings`)."""

    __tablename__ = "frame_block"
    __table_args__ = (Index(None, "trial_id", "host_id", "layout", "first_us"),)

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    trial_id: Mapped[UUID]
    host_id: Mapped[UUID]
    layout: Mapped[int] = mapped_column(SmallInteger)
    first_us: Mapped[int] = mapped_column(BigInteger)
    last_us: Mapped[int] = mapped_column(BigInteger)
    readings: Mapped[int]
    last_live_seq: Mapped[int] = mapped_column(BigInteger)
    content: Mapped[bytes]


class IntervalBlockRow(Base):
    """Successive latency intervals of a host in a trial that is over (:mod:`ngxlab.metrics.blocks.histograms`).

    ``first_us`` and ``last_us``: when the first of them begins, and when the last one ends.
    """

    __tablename__ = "interval_block"
    __table_args__ = (Index(None, "trial_id", "host_id", "first_us"),)

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    trial_id: Mapped[UUID]
    host_id: Mapped[UUID]
    first_us: Mapped[int] = mapped_column(BigInteger)
    last_us: Mapped[int] = mapped_column(BigInteger)
    intervals: Mapped[int]
    content: Mapped[bytes]


class TrialEventRow(Base):
    """Phases, processes, notes and results, as the agent reported them."""

    __tablename__ = "trial_event"
    __table_args__ = (Index(None, "trial_id", "host_id", "id"),)

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    trial_id: Mapped[UUID]
    host_id: Mapped[UUID]
    t_us: Mapped[int] = mapped_column(BigInteger)
    live_seq: Mapped[int] = mapped_column(BigInteger)
    event: Mapped[dict[str, Any]]


class ArtefactRow(Base):
    """A kept file of a trial."""

    __tablename__ = "artefact"

    trial_id: Mapped[UUID] = mapped_column(primary_key=True)
    host_id: Mapped[UUID] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    text: Mapped[str]
    truncated: Mapped[bool]


class DerivedSeriesRow(Base):
    """One chart of a host in a long trial that is over, derived once with as many points as pages ask for.

    The row without a key says that all charts are there. ``derived_by``: the code that did it
    (:data:`ngxlab.metrics.kept_series.DERIVED_BY`).
    """

    __tablename__ = "derived_series"
    __table_args__ = (Index("ix_derived_series_derived_by", "derived_by", postgresql_where=text("key = ''")),)

    trial_id: Mapped[UUID] = mapped_column(primary_key=True)
    host_id: Mapped[UUID] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    derived_by: Mapped[str]
    content: Mapped[bytes]


class DiscardedTrial(Base):
    """A trial whose raw data nobody will read again: it is removed bit by bit (:mod:`ngxlab.metrics.repository`).

    It has no foreign key, because the trial is usually gone by then.
    """

    __tablename__ = "discarded_trial"

    trial_id: Mapped[UUID] = mapped_column(primary_key=True)
    discarded_at: Mapped[datetime] = mapped_column(server_default=func.now(), index=True)


class StagedRun(Base):
    """A claim to the trials of a run of which the raw data come first (:mod:`ngxlab.metrics.staging`).

    ``account_id``: whose quota has its ``bytes``. ``hosts``: the ids that its hosts will have. ``until``: it is given
    up then, unless the run is there. One that was given up has no trials and no hosts, and still counts ``until`` then.
    It has no foreign keys: nobody waits for what is staged.
    """

    __tablename__ = "staged_run"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    account_id: Mapped[UUID]
    trials: Mapped[list[UUID]] = mapped_column(postgresql.ARRAY(Uuid))
    hosts: Mapped[list[UUID]] = mapped_column(postgresql.ARRAY(Uuid))
    bytes: Mapped[int] = mapped_column(BigInteger)
    until: Mapped[datetime]
