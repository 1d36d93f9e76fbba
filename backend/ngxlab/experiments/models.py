"""Experiments and their versions."""

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import CheckConstraint, ForeignKey, UniqueConstraint, func
from sqlalchemy.orm import Mapped, mapped_column, relationship

from ngxlab.accounts.models import Account
from ngxlab.core.database import Base
from ngxlab.core.stored_json import read
from ngxlab.definition.schema.definition import Definition


class Experiment(Base):
    """``deleted_number``: the highest number of a run of it that was deleted, so that no other gets it.

    ``team_id``: who alone may read it; everybody, where it belongs to no team.
    """

    __tablename__ = "experiment"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    name: Mapped[str]
    template_key: Mapped[str | None]
    created_by: Mapped[UUID] = mapped_column(ForeignKey("account.id", deferrable=True))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    archived_at: Mapped[datetime | None]
    team_id: Mapped[UUID | None] = mapped_column(ForeignKey("team.id"), index=True)
    deleted_number: Mapped[int] = mapped_column(default=0, server_default="0")
    author: Mapped[Account] = relationship(lazy="joined", innerjoin=True)


class ExperimentVersion(Base):
    """A definition as it was saved. It never changes: a run refers to the exact version that it ran."""

    __tablename__ = "experiment_version"
    __table_args__ = (UniqueConstraint("experiment_id", "number"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    experiment_id: Mapped[UUID] = mapped_column(ForeignKey("experiment.id"))
    number: Mapped[int]
    definition: Mapped[dict[str, Any]]
    created_by: Mapped[UUID] = mapped_column(ForeignKey("account.id", deferrable=True))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    experiment: Mapped[Experiment] = relationship(lazy="joined", innerjoin=True)


class ConfigTest(Base):
    """A request to a host's own nginx to test the configurations of a definition.

    ``definition`` is the one under test, so that messages can be traced to its lines; ``request`` is what the agent
    receives (ConfigTestSpec), ``result`` what it answered (ConfigTestResult).
    """

    __tablename__ = "config_test"
    __table_args__ = (CheckConstraint("state IN ('pending', 'done', 'failed')", name="state"),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    host_id: Mapped[UUID] = mapped_column(ForeignKey("host.id"))
    created_by: Mapped[UUID] = mapped_column(ForeignKey("account.id"))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    state: Mapped[str]
    definition: Mapped[dict[str, Any]]
    request: Mapped[dict[str, Any]]
    result: Mapped[dict[str, Any] | None]


def definition_of(version: ExperimentVersion) -> Definition:
    """Raises Unreadable, with the version's number."""
    return read(Definition, version.definition, f"Version {version.number} of this experiment")
