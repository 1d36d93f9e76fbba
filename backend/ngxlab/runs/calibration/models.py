"""What comparisons of identical arms showed, by host and load."""

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column, relationship

from ngxlab.core.database import Base
from ngxlab.experiments.models import Experiment


class Calibration(Base):
    """The noise that one run's identical arms showed. It outlives the run.

    ``load_key``: see :func:`ngxlab.definition.identical.load_key`. ``hosts``: slot -> host id. ``fingerprint``: slot ->
    what its host was (:mod:`ngxlab.runs.calibration.service`). ``host_names``: slot -> name. ``noise``:
    ``MetricNoise`` of each metric.
    """

    __tablename__ = "calibration"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    run_id: Mapped[UUID | None] = mapped_column(ForeignKey("run.id", ondelete="SET NULL"), unique=True)
    experiment_id: Mapped[UUID] = mapped_column(ForeignKey("experiment.id"))
    template_key: Mapped[str | None]
    load_key: Mapped[str] = mapped_column(index=True)
    measure_s: Mapped[float]
    hosts: Mapped[dict[str, Any]]
    host_names: Mapped[dict[str, Any]]
    fingerprint: Mapped[dict[str, Any]]
    noise: Mapped[list[Any]]
    taken_at: Mapped[datetime]
    experiment: Mapped[Experiment] = relationship(lazy="joined", innerjoin=True)
