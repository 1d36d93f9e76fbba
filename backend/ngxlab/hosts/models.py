"""Registered hosts: the only machines that run trials or receive load."""

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from ngxlab_contracts.hosts import Inventory
from sqlalchemy import BigInteger, ForeignKey, Index, func, text
from sqlalchemy.orm import Mapped, mapped_column

from ngxlab.core.database import Base
from ngxlab.core.stored_json import read, read_or_none


class Host(Base):
    """A machine with an agent. Removing it revokes its credential at once; its history stays.

    ``sightings``: the agents heard lately (:mod:`ngxlab.hosts.service`); ``conflict``: that there are two at once.
    """

    __tablename__ = "host"
    __table_args__ = (Index("uq_host_name", "name", unique=True, postgresql_where=text("removed_at IS NULL")),)

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    name: Mapped[str]
    credential_hash: Mapped[str] = mapped_column(unique=True)
    broker_password_hash: Mapped[str | None]
    """The password of the host's user of Redis; empty for a removed host."""
    inventory: Mapped[dict[str, Any]]
    inventory_at: Mapped[datetime] = mapped_column(server_default=func.now())
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("account.id"))
    agent_instance: Mapped[UUID | None]
    heartbeat_at: Mapped[datetime | None]
    clock_offset_us: Mapped[int | None] = mapped_column(BigInteger)
    clock_rtt_us: Mapped[int | None] = mapped_column(BigInteger)
    active_trial_id: Mapped[UUID | None]
    agent_version: Mapped[str]
    protocol: Mapped[str]
    sightings: Mapped[list[Any]] = mapped_column(default=list)
    conflict: Mapped[str | None]
    broker_trouble: Mapped[str | None]
    """Why its agent cannot reach Redis; empty where it can."""
    broker_trouble_since: Mapped[datetime | None]
    disk_trouble: Mapped[str | None]
    """What its agent's disk lacks for a trial; empty where there is room."""
    draining: Mapped[bool] = mapped_column(default=False)
    removed_at: Mapped[datetime | None]
    team_id: Mapped[UUID | None] = mapped_column(ForeignKey("team.id"), index=True)
    """Who alone may run on it; everybody, where it belongs to no team."""
    away_since: Mapped[datetime | None]
    """Its last heartbeat, once people were told that it is away and until they are told that it is back."""


class EnrolmentToken(Base):
    """A one-time invitation for one host. Only its hash is stored.

    ``host_id``: the host that has used it; of an unused token, the host whose credential it renews.
    """

    __tablename__ = "enrolment_token"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    token_hash: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("account.id"))
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
    host_id: Mapped[UUID | None] = mapped_column(ForeignKey("host.id"))


class HostLease(Base):
    """A host serves one run at a time. The row is the lock; it ends with its run or when it expires."""

    __tablename__ = "host_lease"

    host_id: Mapped[UUID] = mapped_column(ForeignKey("host.id"), primary_key=True)
    run_id: Mapped[UUID] = mapped_column(ForeignKey("run.id"), index=True)
    acquired_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime]


def inventory_of(host: Host) -> Inventory:
    """Raises Unreadable, with the host's name."""
    return read(Inventory, host.inventory, _what(host))


def inventory_or_none(host: Host) -> Inventory | None:
    """For one host of many."""
    return read_or_none(Inventory, host.inventory, _what(host))


def _what(host: Host) -> str:
    return f"The inventory of {host.name}"
