"""Which agents used a host's credential lately, so that a copied one is noticed. Pure.

Each start of an agent makes a new instance. After a restart, a reboot or an upgrade the new one follows the old one for
good; an old one that is heard again, while the new one still speaks, is a second agent with the same credential.
"""

from collections.abc import Iterable
from datetime import timedelta
from uuid import UUID

from pydantic import AwareDatetime, BaseModel

LATELY = timedelta(seconds=30)
_RETURNS = 2
"""How often the old one must be heard again. Once may be a heartbeat that was long on its way."""


class Sighting(BaseModel):
    """An agent as its heartbeats show it. ``returns``: how often it was heard again after another one."""

    instance: UUID
    hostname: str
    machine: str
    address: str
    since: AwareDatetime
    heard_at: AwareDatetime
    returns: int = 0


def with_sighting(known: Iterable[Sighting], new: Sighting) -> list[Sighting]:
    """The agents heard lately, the newest last. ``new``: who is heard now."""
    recent = [one for one in known if new.heard_at - one.heard_at < LATELY]
    before = next((one for one in recent if one.instance == new.instance), None)
    if before is None:
        return [*recent, new]
    returned = recent[-1].instance != new.instance
    heard = before.model_copy(
        update={"heard_at": new.heard_at, "address": new.address, "returns": before.returns + returned}
    )
    return [*(one for one in recent if one is not before), heard]


def conflict(recent: Iterable[Sighting]) -> str | None:
    """That two agents speak at once, as what follows the host's name; ``None`` if only one does."""
    returning = [one for one in recent if one.returns > 0]
    if len(returning) < 2 or max(one.returns for one in returning) < _RETURNS:
        return None
    told = [f"{one.hostname} ({one.address}, since {one.since:%Y-%m-%d %H:%M:%S} UTC)" for one in returning]
    where = _where({one.machine for one in returning})
    both = " and ".join(sorted(told))
    return f"has {len(told)} agents with one credential{where}: {both}. Stop all but one, or renew the credential"


def _where(machines: set[str]) -> str:
    if "" in machines:
        return ""
    return " on one machine" if len(machines) == 1 else " on different machines"
