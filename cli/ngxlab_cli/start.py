"""Starts a run from the arguments of ``ngxlab run``."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from ngxlab_cli.client import LabClient
from ngxlab_cli.errors import UsageError
from ngxlab_cli.models import Parameter, RunDetail
from ngxlab_cli.requests import CalibrationRequest, ExperimentCreate, NewPowerRequest, PowerRequest, RunCreate
from ngxlab_cli.slots import Assignment, assign, binaries

ParameterValue = str | int | float | bool


@dataclass(frozen=True)
class Order:
    """What to run, where and how. Exactly one of ``file``, ``experiment`` and ``template`` says what.

    ``settings``, ``hosts`` and ``nginx`` are ``NAME=VALUE``, ``[SLOT=]HOST`` and ``[NAME=]BINARY`` as given at the
    command line.
    """

    file: Path | None = None
    experiment: UUID | None = None
    template: str | None = None
    settings: list[str] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)
    nginx: list[str] = field(default_factory=list)
    name: str | None = None
    seed: int | None = None
    note: str | None = None


@dataclass(frozen=True)
class Prepared:
    """A saved experiment and its hosts. ``new``: it was saved just now."""

    experiment_id: UUID
    assignment: Assignment
    nginx: dict[str, str]
    new: bool


def prepare(client: LabClient, order: Order) -> Prepared:
    """Save the experiment where it is new. Raises ``ClientError``."""
    assignment, nginx = _assigned(client, order), binaries(order.nginx)
    if order.experiment is not None:
        return Prepared(order.experiment, assignment, nginx, new=False)
    experiment_id = _save_file(client, order.file, order, assignment) if order.file else _save_template(client, order)
    return Prepared(experiment_id, assignment, nginx, new=True)


def planned_power(client: LabClient, order: Order, effect_percent: float | None) -> dict[str, Any]:
    """What the run would find; saves nothing. Raises ``ClientError``."""
    assignment, nginx = _assigned(client, order), binaries(order.nginx)
    if order.experiment is not None:
        return power(client, Prepared(order.experiment, assignment, nginx, new=False), effect_percent)
    what: dict[str, Any]
    if order.file is not None:
        what = {"yaml": _fitting(client, order.file, assignment)}
    else:
        template = client.template(order.template or "")
        what = {"template_key": template.key, "parameters": parse_settings(template.parameters, order.settings)}
    hosts = {"hosts": assignment.by_slot, "host_id": assignment.all_others}
    return client.power_of_new(NewPowerRequest(**hosts, **what, nginx=nginx, effect_percent=effect_percent))


def _assigned(client: LabClient, order: Order) -> Assignment:
    """The hosts of an order that says one thing to run. Raises UsageError."""
    if sum(source is not None for source in (order.file, order.experiment, order.template)) != 1:
        raise UsageError("give a FILE, or --experiment ID, or --template KEY")
    if order.settings and order.template is None:
        raise UsageError("--set needs --template")
    if order.experiment is not None and order.name is not None:
        raise UsageError("--name is for a new experiment; this one has a name already")
    return assign(client.hosts(), order.hosts)


@contextmanager
def naming_what_is_saved(prepared: Prepared) -> Iterator[None]:
    """Names the experiment that was saved where only the start is refused."""
    try:
        yield
    except UsageError as error:
        if not prepared.new:
            raise
        saved = f"the experiment is saved: fix the cause, then `ngxlab run --experiment {prepared.experiment_id} …`"
        raise UsageError(f"{error} ({saved})", error.problems) from error


def start(client: LabClient, prepared: Prepared, order: Order) -> RunDetail:
    """Queue a run."""
    hosts = prepared.assignment
    body = RunCreate(
        hosts=hosts.by_slot, host_id=hosts.all_others, nginx=prepared.nginx, seed=order.seed, note=order.note
    )
    with naming_what_is_saved(prepared):
        return client.start_run(prepared.experiment_id, body)


def power(client: LabClient, prepared: Prepared, effect_percent: float | None) -> dict[str, Any]:
    """What the run would find."""
    hosts = prepared.assignment
    body = PowerRequest(
        hosts=hosts.by_slot, host_id=hosts.all_others, nginx=prepared.nginx, effect_percent=effect_percent
    )
    with naming_what_is_saved(prepared):
        return client.power(prepared.experiment_id, body)


def calibrate(client: LabClient, prepared: Prepared, blocks: int, arm: str | None) -> RunDetail:
    """Queue a run of one arm against itself."""
    hosts = prepared.assignment
    body = CalibrationRequest(
        hosts=hosts.by_slot, host_id=hosts.all_others, nginx=prepared.nginx, blocks=blocks, arm=arm
    )
    with naming_what_is_saved(prepared):
        return client.calibrate(prepared.experiment_id, body)


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


def _save_file(client: LabClient, path: Path, order: Order, assignment: Assignment) -> UUID:
    return client.import_experiment(_fitting(client, path, assignment), order.name).id


def _fitting(client: LabClient, path: Path, assignment: Assignment) -> str:
    """The document. Raises UsageError where it cannot be run, or not on these hosts."""
    document = read_document(path)
    preview = client.preview(document)
    if preview.problems:
        raise UsageError(f"{path} cannot be run", preview.problems)
    if mismatches := assignment.problems([slot.slot for slot in preview.slots]):
        raise UsageError("the hosts do not fit the experiment", mismatches)
    return document


def _save_template(client: LabClient, order: Order) -> UUID:
    template = client.template(order.template or "")
    values = parse_settings(template.parameters, order.settings)
    body = ExperimentCreate(name=order.name or template.title, template_key=template.key, parameters=values)
    return client.create_experiment(body).id


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
