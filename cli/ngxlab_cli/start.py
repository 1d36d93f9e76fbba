"""From the arguments of ``ngxlab run`` to a queued run."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

from ngxlab_cli.client import LabClient
from ngxlab_cli.errors import UsageError
from ngxlab_cli.models import FieldProblem, Host, Parameter, Run


@dataclass(frozen=True)
class Order:
    """What to run: exactly one of ``file``, ``experiment`` and ``template``; where, and how."""

    file: Path | None
    experiment: UUID | None
    template: str | None
    settings: list[str] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)
    name: str | None = None
    seed: int | None = None
    note: str | None = None


@dataclass(frozen=True)
class Casting:
    """Hosts by slot; ``everywhere`` plays the slots that are not named."""

    by_slot: dict[str, UUID]
    everywhere: UUID | None

    def problems(self, slots: Sequence[str]) -> list[FieldProblem]:
        """Slots that nobody plays, and those that the experiment does not have."""
        known = ", ".join(slots)
        found = [
            FieldProblem(field=f"--host {slot}", message=f"this experiment has no such slot; it has {known}")
            for slot in self.by_slot
            if slot not in slots
        ]
        if self.everywhere is None:
            missing = [slot for slot in slots if slot not in self.by_slot]
            found += [FieldProblem(field=f"--host {slot}", message="choose a host for it") for slot in missing]
        return found


def start(client: LabClient, order: Order) -> Run:
    """Raises ``ClientError``; where only the start was refused, the message names the experiment that was saved."""
    if sum(source is not None for source in (order.file, order.experiment, order.template)) != 1:
        raise UsageError("give a FILE, or --experiment ID, or --template KEY")
    if order.settings and order.template is None:
        raise UsageError("--set belongs to --template")
    casting = cast_hosts(client.hosts(), order.hosts)
    if order.experiment is not None:
        if order.name is not None:
            raise UsageError("--name names a new experiment; this one has a name")
        return _run(client, order.experiment, casting, order)
    experiment_id = _save_file(client, order.file, order, casting) if order.file else _save_template(client, order)
    try:
        return _run(client, experiment_id, casting, order)
    except UsageError as error:
        saved = f"the experiment is saved: mend the cause, then `ngxlab run --experiment {experiment_id} …`"
        raise UsageError(f"{error} ({saved})", error.problems) from error


def read_document(path: Path) -> str:
    """Raises ``UsageError``."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}") from error


def cast_hosts(known: Sequence[Host], texts: Sequence[str]) -> Casting:
    """``texts``: ``SLOT=HOST`` or ``HOST``, by name or id. Raises ``UsageError``."""
    by_slot: dict[str, UUID] = {}
    everywhere: UUID | None = None
    for text in texts:
        slot, sign, name = text.partition("=")
        if not sign:
            if everywhere is not None:
                raise UsageError(f"--host {text}: two hosts for every slot; name the slots, as in target={text}")
            everywhere = _host(known, text)
        elif slot in by_slot:
            raise UsageError(f"--host {text}: {slot} has a host already")
        else:
            by_slot[slot] = _host(known, name)
    return Casting(by_slot, everywhere)


def parse_settings(parameters: Sequence[Parameter], texts: Sequence[str]) -> dict[str, object]:
    """``NAME=VALUE`` as the template's form would send it. Unknown names are left to the server. Raises UsageError."""
    kinds = {parameter.name: parameter.kind for parameter in parameters}
    values: dict[str, object] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign:
            raise UsageError(f"--set {text}: write NAME=VALUE")
        values[name] = _value(kinds.get(name, "choice"), value)
    return values


def _run(client: LabClient, experiment_id: UUID, casting: Casting, order: Order) -> Run:
    body: dict[str, object] = {"hosts": {slot: str(host_id) for slot, host_id in casting.by_slot.items()}}
    optional = {
        "host_id": str(casting.everywhere) if casting.everywhere else None,
        "seed": order.seed,
        "note": order.note,
    }
    return client.start_run(experiment_id, body | {key: value for key, value in optional.items() if value is not None})


def _save_file(client: LabClient, path: Path, order: Order, casting: Casting) -> UUID:
    document = read_document(path)
    preview = client.preview(document)
    if preview.problems:
        raise UsageError(f"{path} cannot be run", preview.problems)
    if unplayed := casting.problems([slot.slot for slot in preview.slots]):
        raise UsageError("the hosts do not fit the experiment", unplayed)
    return client.import_experiment(document, order.name).id


def _save_template(client: LabClient, order: Order) -> UUID:
    template = client.template(order.template or "")
    values = parse_settings(template.parameters, order.settings)
    return client.create_experiment(order.name or template.title, template.key, values).id


def _host(known: Sequence[Host], text: str) -> UUID:
    found = [host.id for host in known if text in {host.name, str(host.id)}]
    if len(found) != 1:
        names = ", ".join(sorted(host.name for host in known)) or "none"
        why = "no host has this name" if not found else "several hosts have this name; use an id"
        raise UsageError(f"--host {text}: {why}; registered: {names}")
    return found[0]


def _value(kind: str, text: str) -> object:
    """What cannot be read goes to the server as it is, which says what it should be."""
    if kind == "boolean":
        return {"true": True, "false": False}.get(text.lower(), text)
    if kind in {"integer", "number"}:
        for read in (int, float):
            try:
                return read(text)
            except ValueError:
                continue
    return text
