"""Which calibration is in force for a run, and what a run's identical arms add."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from ngxlab_contracts.hosts import Inventory
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.analysis.schemas import CalibrationUse, LearnedScatter, MetricNoise, RunAnalysis
from ngxlab.analysis.verdict.noise import Calibrated
from ngxlab.core.stored_json import read_or_none
from ngxlab.definition.fragments import DefinitionError
from ngxlab.definition.identical import identical_arms, load_key
from ngxlab.definition.schema.definition import TARGET_SLOT, Definition
from ngxlab.runs.calibration import repository
from ngxlab.runs.calibration.models import Calibration
from ngxlab.runs.models import Run
from ngxlab.runs.preflight.assignment import Assigned, roles_of

Facts = Mapping[str, str]
"""Facts by their subject: ``kernel``, ``CPU``, ``memory``, ``nginx``, and each engine's program."""

_OF_THE_MACHINE = ("kernel", "CPU", "memory")


def facts(inventory: Inventory, nginx: str | None = None) -> Facts:
    """``nginx``: path of the binary that runs; the first one of the inventory if not given."""
    cpu = inventory.cpu
    found = {
        "kernel": inventory.kernel,
        "CPU": f"{cpu.model}, {cpu.logical} logical",
        "memory": f"{inventory.memory_bytes / 2**30:.1f} GiB",
    }
    binary = next((one for one in inventory.nginx if nginx in {None, one.path}), None)
    if binary is not None:
        found["nginx"] = f"{binary.path} {binary.version} (sha256 {binary.sha256[:12]})"
    for name, program in inventory.engine_programs.items():
        found[name] = f"{program.version} (sha256 {program.sha256[:12]})"
    return found


def nginx_path(recorded: Facts) -> str | None:
    return recorded["nginx"].partition(" ")[0] if "nginx" in recorded else None


def change(recorded: Facts, now: Facts) -> str | None:
    """The first difference in words, e.g. "the kernel changed from 6.1.0 to 6.1.2"."""
    for name in [*recorded, *(name for name in now if name not in recorded)]:
        before, after = recorded.get(name, "none"), now.get(name, "none")
        if before != after:
            return f"{'the ' if name in _OF_THE_MACHINE else ''}{name} changed from {before} to {after}"
    return None


@dataclass(frozen=True)
class Setting:
    """The hosts and the load of a run: ``hosts`` and ``facts`` by slot."""

    definition: Definition
    template_key: str | None
    hosts: Mapping[str, UUID]
    facts: Mapping[str, Facts]

    @property
    def host_ids(self) -> dict[str, str]:
        return {slot: str(host_id) for slot, host_id in self.hosts.items()}


def setting_of(run: Run, definition: Definition) -> Setting | None:
    """As it was when the run was created; ``None`` where what is stored of its hosts cannot be read. Where arms run
    several builds, the target's nginx is that of the baseline."""
    read = {
        entry.slot: read_or_none(Inventory, entry.inventory, "A host's inventory of this run") for entry in run.hosts
    }
    inventories = {slot: inventory for slot, inventory in read.items() if inventory is not None}
    if len(inventories) < len(read):
        return None
    hosts = {entry.slot: entry.host_id for entry in run.hosts}
    return setting(definition, run.version.experiment.template_key, hosts, inventories, run.builds)


def setting_of_assigned(definition: Definition, template_key: str | None, assigned: Sequence[Assigned]) -> Setting:
    """The setting of a run that is about to be created."""
    return setting(
        definition,
        template_key,
        {entry.slot: entry.host.id for entry in assigned},
        {entry.slot: entry.inventory for entry in assigned},
        {build: path for entry in assigned for build, path in entry.builds.items()},
    )


def setting(
    definition: Definition,
    template_key: str | None,
    hosts: Mapping[str, UUID],
    inventories: Mapping[str, Inventory],
    builds: Mapping[str, str],
) -> Setting:
    """``inventories``: by slot, the nginx that the slot runs first. ``builds``: as in :class:`Run`."""
    baseline = next((arm for arm in definition.arms if arm.key == definition.baseline), None)
    path = builds.get(definition.build(baseline) or "") if baseline is not None else None
    found = {
        slot: _of_slot(definition, slot, inventory, path if slot == TARGET_SLOT else None)
        for slot, inventory in inventories.items()
    }
    return Setting(definition, template_key, hosts, found)


async def in_force(session: AsyncSession, now: Setting, before: datetime) -> tuple[Calibration | None, str | None]:
    """The newest calibration of these hosts and this load that was taken ``before`` and is not stale.

    One of the same load comes before one of the same template with other parameters. Without any: why the newest is
    stale, if there is one.
    """
    try:
        key = await asyncio.to_thread(load_key, now.definition)
    except DefinitionError:
        return None, None
    measure_s = now.definition.plan.measure_s
    found = await repository.candidates(session, key, now.template_key, measure_s, before)
    here = [one for one in found if one.hosts == now.host_ids]
    stale = None
    for one in sorted(here, key=lambda one: one.load_key != key):
        why = why_stale(one, now.facts)
        if why is None:
            return one, None
        stale = stale or why
    return None, stale


def why_stale(calibration: Calibration, now: Mapping[str, Facts]) -> str | None:
    """What changed on a host since, in words."""
    recorded = calibration.fingerprint
    names = calibration.host_names
    for slot in recorded:
        if slot in now and (what := change(recorded_facts(recorded, slot), now[slot])) is not None:
            return f"{what} on {names.get(slot, slot)}"
    return None


def recorded_facts(fingerprint: Mapping[str, object], slot: str) -> Facts:
    """What was stored of one slot; empty where it cannot be read, so that the calibration is stale."""
    stored = fingerprint.get(slot)
    return {str(name): str(value) for name, value in stored.items()} if isinstance(stored, dict) else {}


async def calibrated(session: AsyncSession, run: Run, definition: Definition) -> Calibrated:
    """What the analysis of a run needs. Only what was known when the run was created is said of it."""
    use, stale = await used(session, run, definition)
    try:
        identical = await asyncio.to_thread(identical_arms, definition)
    except DefinitionError:
        identical = ()
    read = (read_or_none(LearnedScatter, one, "What earlier runs had shown of the scatter") for one in run.learned)
    return Calibrated(use, stale, identical, [one for one in read if one is not None])


async def used(session: AsyncSession, run: Run, definition: Definition) -> tuple[CalibrationUse | None, str | None]:
    """The calibration in force for a run, and why there is none. A run from elsewhere brought its own."""
    if run.imported is not None:
        brought = run.imported.calibration
        use = read_or_none(CalibrationUse, brought, "The calibration of a run") if brought is not None else None
        return use, run.imported.calibration_stale
    now = setting_of(run, definition)
    found, stale = await in_force(session, now, run.created_at) if now is not None else (None, None)
    return as_use(found) if found is not None else None, stale


def as_use(calibration: Calibration) -> CalibrationUse:
    return CalibrationUse(
        run_id=calibration.run_id,
        taken_at=calibration.taken_at,
        hosts=names_of_hosts(calibration),
        noise=readable_noise(calibration.noise),
    )


def names_of_hosts(calibration: Calibration) -> list[str]:
    """Each once, in the order of their slots."""
    return list(dict.fromkeys(name for _, name in sorted(calibration.host_names.items())))


def readable_noise(stored: Iterable[object]) -> list[MetricNoise]:
    """The noise of the metrics whose entry can be read."""
    read = (read_or_none(MetricNoise, one, "The noise of a metric") for one in stored)
    return [one for one in read if one is not None]


async def keep(session: AsyncSession, run: Run, definition: Definition, analysis: RunAnalysis) -> None:
    """Store what the identical arms of a finished run showed."""
    if not analysis.identical or run.finished_at is None:
        return
    now = setting_of(run, definition)
    if now is None:
        return
    values = {
        "id": uuid4(),
        "run_id": run.id,
        "template_key": now.template_key,
        "load_key": await asyncio.to_thread(load_key, definition),
        "measure_s": definition.plan.measure_s,
        "experiment_id": run.experiment_id,
        "hosts": now.host_ids,
        "host_names": {entry.slot: entry.host.name for entry in run.hosts},
        "fingerprint": now.facts,
        "noise": [one.model_dump(mode="json") for one in analysis.identical],
        "taken_at": run.finished_at,
    }
    await repository.keep(session, values)


def _of_slot(definition: Definition, slot: str, inventory: Inventory, nginx: str | None) -> Facts:
    found = dict(facts(inventory, nginx))
    if not roles_of(definition, slot) & {"target", "upstream"}:
        found.pop("nginx", None)
    if "generator" not in roles_of(definition, slot):
        for program in inventory.engine_programs:
            found.pop(program, None)
    return found
