"""Starts a run from the arguments of ``ngxlab run``."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote
from uuid import UUID

from ngxlab_cli.api_model import ApiModel
from ngxlab_cli.client import LabClient
from ngxlab_cli.errors import UsageError
from ngxlab_cli.models import (
    DefinitionProblem,
    ExperimentDetail,
    HostSummary,
    Parameter,
    RecipeDetail,
    RunDetail,
    TemplateDetail,
)
from ngxlab_cli.requests import (
    CalibrationRequest,
    ExperimentCreate,
    NewPowerRequest,
    PowerRequest,
    RunCreate,
)
from ngxlab_cli.revision import Revision
from ngxlab_cli.tables import problems

ParameterValue = str | int | float | bool
_Answer = TypeVar("_Answer")


@dataclass(frozen=True)
class Order:
    """What to run, where and how. Exactly one of ``file``, ``document``, which is the text of one, ``experiment``,
    ``template`` and ``recipe`` says what.

    ``again``: a document is saved as the person's experiment of its name, where there is one, as a file is anyway.
    ``new``: a file is saved as a new experiment, even where the person has one of its name.
    ``settings``, ``hosts`` and ``nginx`` are ``NAME=VALUE``, ``[SLOT=]HOST`` and ``[NAME=]BINARY`` as given at the
    command line.
    """

    file: Path | None = None
    document: str | None = None
    experiment: UUID | None = None
    template: str | None = None
    recipe: str | None = None
    settings: list[str] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)
    nginx: list[str] = field(default_factory=list)
    name: str | None = None
    new: bool = False
    again: bool = False
    seed: int | None = None
    note: str | None = None
    tags: list[str] = field(default_factory=list)
    revision: Revision | None = None


def document_order(
    yaml: str | None, recipe: str | None, experiment: str | None, hosts: list[str], **others: Any
) -> Order:
    """Exactly one of the first three says what to run. Raises ``UsageError``."""
    if sum(one is not None for one in (yaml, recipe, experiment)) != 1:
        raise UsageError("give one of yaml, recipe and experiment")
    try:
        saved = UUID(experiment) if experiment is not None else None
    except ValueError as error:
        raise UsageError(f"{experiment} is no id of an experiment") from error
    return Order(document=yaml, recipe=recipe, experiment=saved, hosts=hosts, **others)


@dataclass(frozen=True)
class Prepared:
    """A saved experiment. ``place``: its hosts and their nginx, as requests name them. ``new``: saved just now, as an
    experiment of its own or as a version. ``version``: what was saved, whatever others save meanwhile; the latest of an
    experiment that was there."""

    experiment_id: UUID
    place: dict[str, Any]
    new: bool
    version: int | None = None


def prepare(client: LabClient, order: Order) -> Prepared:
    """Save the experiment where it is new. Raises ``ClientError``."""
    assignment, place = _placed(client, order)
    if order.experiment is not None:
        return Prepared(order.experiment, place, new=False)
    if (found := _document(client, order)) is not None:
        again = order.again or (order.file is not None and not order.new)
        saved = client.import_experiment(_fitting(client, *found, assignment), order.name, again=again)
    else:
        title, what = _of_template(client, order)
        saved = client.call(
            "POST", "/experiments", ExperimentDetail, ExperimentCreate(name=order.name or title, **what)
        )
    return Prepared(saved.id, place, new=True, version=saved.version)


def planned_power(client: LabClient, order: Order, effect_percent: float | None) -> dict[str, Any]:
    """What the run would find; saves nothing. Raises ``ClientError``."""
    assignment, place = _placed(client, order)
    if order.experiment is not None:
        return power(client, Prepared(order.experiment, place, new=False), effect_percent)
    if (found := _document(client, order)) is not None:
        what = {"yaml": _fitting(client, *found, assignment)}
    else:
        _, what = _of_template(client, order)
    return client.call(
        "POST", "/experiments/power", dict[str, Any], NewPowerRequest(**place, **what, effect_percent=effect_percent)
    )


def _placed(client: LabClient, order: Order) -> tuple["Assignment", dict[str, Any]]:
    """Where an order that says one thing to run takes place: as hosts, and as requests say it. Raises UsageError."""
    sources = (order.file, order.document, order.experiment, order.template, order.recipe)
    if sum(source is not None for source in sources) != 1:
        raise UsageError("give a FILE, or --recipe KEY, or --experiment ID, or --template KEY")
    if order.settings and order.template is None:
        raise UsageError("--set needs --template")
    if order.experiment is not None and order.name is not None:
        raise UsageError("--name is for a new experiment; this one has a name already")
    hosts = assign(client.hosts(), order.hosts)
    return hosts, {"hosts": hosts.by_slot, "host_id": hosts.all_others, "nginx": binaries(order.nginx)}


def _document(client: LabClient, order: Order) -> tuple[str, str] | None:
    """What an order's document is called, and its text; ``None`` where it has none. Raises ``ClientError``."""
    if order.document is not None:
        return "the experiment", order.document
    if order.file is not None:
        return str(order.file), read_document(order.file)
    if order.recipe is not None:
        return order.recipe, client.call("GET", f"/recipes/{quote(order.recipe, safe='')}", RecipeDetail).yaml
    return None


def _of_template(client: LabClient, order: Order) -> tuple[str, dict[str, Any]]:
    """The template's title, and what a request says of the experiment to make of it."""
    template = client.call("GET", f"/templates/{quote(order.template or '', safe='')}", TemplateDetail)
    return template.title, {
        "template_key": template.key,
        "parameters": parse_settings(template.parameters, order.settings),
    }


def start(client: LabClient, prepared: Prepared, order: Order) -> RunDetail:
    """What the environment says of the revision, and the server refuses, is left out. Raises ``ClientError``."""
    body = RunCreate(
        **prepared.place,
        version=prepared.version,
        seed=order.seed,
        note=order.note,
        tags=order.tags,
        revision=order.revision.choice if order.revision is not None else None,
    )
    try:
        return _ask(client, prepared, "runs", RunDetail, body)
    except UsageError as error:
        kept = order.revision.without([one.field for one in error.problems]) if order.revision is not None else None
        if kept == order.revision:
            raise
        sys.stderr.write(
            f"the server does not take all that this job says of its revision: {problems(error.problems)}\n"
        )
        return start(client, prepared, replace(order, revision=kept))


def power(client: LabClient, prepared: Prepared, effect_percent: float | None) -> dict[str, Any]:
    """What the run would find, whole; ``text`` says it in sentences."""
    body = PowerRequest(**prepared.place, effect_percent=effect_percent)
    return _ask(client, prepared, "power", dict[str, Any], body)


def calibrate(client: LabClient, prepared: Prepared, blocks: int, arm: str | None) -> RunDetail:
    body = CalibrationRequest(**prepared.place, blocks=blocks, arm=arm)
    return _ask(client, prepared, "calibrations", RunDetail, body)


def _ask(client: LabClient, prepared: Prepared, what: str, answer: type[_Answer], body: ApiModel) -> _Answer:
    """Names the experiment that was saved where only the start is refused."""
    try:
        return client.call("POST", f"/experiments/{prepared.experiment_id}/{what}", answer, body)
    except UsageError as error:
        if not prepared.new:
            raise
        saved = f"the experiment is saved: fix the cause, then `ngxlab run --experiment {prepared.experiment_id} …`"
        raise UsageError(f"{error} ({saved})", error.problems) from error


def read_document(path: Path) -> str:
    """The text of a file. Raises ``UsageError``."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}") from error


def parse_settings(parameters: Sequence[Parameter], texts: Sequence[str]) -> dict[str, ParameterValue]:
    """``NAME=VALUE`` texts with values of the parameters' kinds. The server judges unknown names. Raises UsageError."""
    kinds = {parameter.name: parameter.kind for parameter in parameters}
    values: dict[str, ParameterValue] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign:
            raise UsageError(f"--set {text}: write NAME=VALUE")
        values[name] = _value(kinds.get(name, "choice"), value)
    return values


def _fitting(client: LabClient, name: str, document: str, assignment: "Assignment") -> str:
    """The document. Raises UsageError where it cannot be run, or not on these hosts."""
    preview = client.preview(document)
    if preview.problems:
        raise UsageError(f"{name} cannot be run", preview.problems)
    if mismatches := assignment.problems([slot.slot for slot in preview.slots]):
        raise UsageError("the hosts do not fit the experiment", mismatches)
    return document


def _value(kind: str, text: str) -> ParameterValue:
    """The text as a value of its kind. Where it is none, the text itself: the server then says what it should be."""
    if kind == "boolean":
        return {"true": True, "false": False}.get(text.lower(), text)
    if kind in {"integer", "number"}:
        for read in (int, float):
            try:
                return read(text)
            except ValueError:
                continue
    return text


_TARGET = "target"


@dataclass(frozen=True)
class Assignment:
    """Host ids by slot; ``all_others`` takes the slots that are not named."""

    by_slot: dict[str, UUID]
    all_others: UUID | None

    def problems(self, slots: Sequence[str]) -> list[DefinitionProblem]:
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
