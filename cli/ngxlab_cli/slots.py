"""Which host takes which slot of an experiment."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from ngxlab_cli.errors import UsageError
from ngxlab_cli.models import DefinitionProblem, HostSummary

_TARGET = "target"


@dataclass(frozen=True)
class Assignment:
    """Host ids by slot; ``all_others`` takes the slots that are not named."""

    by_slot: dict[str, UUID]
    all_others: UUID | None

    def problems(self, slots: Sequence[str]) -> list[DefinitionProblem]:
        """Slots without a host, and slots that the experiment does not have."""
        existing = ", ".join(slots)
        unknown = [
            DefinitionProblem(field=f"--host {slot}", message=f"this experiment has no such slot; it has {existing}")
            for slot in self.by_slot
            if slot not in slots
        ]
        missing = [
            DefinitionProblem(field=f"--host {slot}", message="choose a host for it")
            for slot in slots
            if self.all_others is None and slot not in self.by_slot
        ]
        return unknown + missing


def assign(registered: Sequence[HostSummary], texts: Sequence[str]) -> Assignment:
    """``texts``: ``SLOT=HOST`` or ``HOST``, by name or id. Raises ``UsageError``.

    Without texts, the only registered host takes all slots; where there are several, somebody has to choose.
    """
    if not texts and len(registered) == 1:
        return Assignment({}, registered[0].id)
    by_slot: dict[str, UUID] = {}
    all_others: UUID | None = None
    for text in texts:
        slot, sign, name = text.partition("=")
        if not sign:
            if all_others is not None:
                raise UsageError(f"--host {text}: two hosts for every slot; name the slots, as in target={text}")
            all_others = _host(registered, text)
        elif slot in by_slot:
            raise UsageError(f"--host {text}: {slot} has a host already")
        else:
            by_slot[slot] = _host(registered, name)
    return Assignment(by_slot, all_others)


def binaries(texts: Sequence[str]) -> dict[str, str]:
    """``texts``: ``NAME=BINARY``, where NAME is a slot or a build of the experiment, or ``BINARY`` for the target. The
    server knows which there are. Raises ``UsageError``."""
    chosen: dict[str, str] = {}
    for text in texts:
        name, sign, binary = text.partition("=")
        name, binary = (name, binary) if sign else (_TARGET, text)
        if not name or not binary:
            raise UsageError(f"--nginx {text}: write NAME=BINARY, as in tengine=/opt/tengine/sbin/tengine")
        if name in chosen:
            raise UsageError(f"--nginx {text}: {name} has an nginx already")
        chosen[name] = binary
    return chosen


def _host(registered: Sequence[HostSummary], text: str) -> UUID:
    matching = [host.id for host in registered if text in {host.name, str(host.id)}]
    if len(matching) != 1:
        names = ", ".join(sorted(host.name for host in registered)) or "none"
        why = "several hosts have this name; use an id" if matching else "no host has this name"
        raise UsageError(f"--host {text}: {why}; registered: {names}")
    return matching[0]
