"""Measure a host's noise: an ordinary run in which one arm is compared with itself."""

from collections.abc import Sequence
from uuid import UUID

from ngxlab_contracts.hosts import Inventory
from ngxlab_contracts.sentences import say
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller
from ngxlab.core.errors import invalid
from ngxlab.definition.schema.definition import Definition
from ngxlab.definition.schema.factors import Factor, Level
from ngxlab.experiments import repository as experiments
from ngxlab.experiments import service as experiment_service
from ngxlab.experiments.models import Experiment, definition_of
from ngxlab.hosts import repository as registered
from ngxlab.hosts import service as hosts
from ngxlab.hosts.models import inventory_or_none
from ngxlab.runs import service as runs
from ngxlab.runs.calibration import repository
from ngxlab.runs.calibration.models import Calibration
from ngxlab.runs.calibration.service import (
    Facts,
    facts,
    names_of_hosts,
    nginx_path,
    readable_noise,
    recorded_facts,
    why_stale,
)
from ngxlab.runs.power.schemas import CalibrationOut, CalibrationRequest
from ngxlab.runs.schemas import RunCreate, RunDetail
from ngxlab.templates.primary import primary_metrics

NAME_PREFIX = "A/A: "


def against_itself(definition: Definition, arm_key: str, blocks: int) -> Definition:
    """The same experiment with one of its arms, twice. Its load, its hosts' roles and its primary metrics stay."""
    arm = definition.arm(arm_key)
    variables = definition.variables(arm)
    build = definition.build(arm)
    levels = [
        Level(key=key, label=label, variables=variables, build=build) for key, label in (("a", "A"), ("a2", "A again"))
    ]
    content = definition.model_dump(mode="json") | {
        "question": f"How much does an arm differ from itself? Both arms are: {arm.label}",
        "template": None,
        "factors": [Factor(key="arm", label="Arm", levels=levels).model_dump(mode="json")],
        "design": {"kind": "matrix"},
        "baseline": "a",
        "thresholds": [],
    }
    content["plan"] |= {"blocks": blocks, "primary": list(primary_metrics(definition)), "stop": {"kind": "fixed"}}
    return Definition.model_validate(content)


async def calibrate(
    session: AsyncSession, caller: Caller, experiment_id: UUID, request: CalibrationRequest
) -> RunDetail:
    """Save the experiment of identical arms, unless the caller has it already, and queue a run of it.

    Raises NotFound, Invalid and Conflict as starting a run does.
    """
    origin = await experiment_service.get(session, experiment_id)
    version = await experiments.latest_version(session, experiment_id)
    definition = definition_of(version)
    arm = request.arm or definition.baseline
    if arm not in {one.key for one in definition.arms}:
        raise invalid("arm", say("this experiment has no arm {arm}", arm=repr(arm)))
    twice = against_itself(definition, arm, request.blocks)
    known = await repository.same_experiment(session, caller.account.id, twice.model_dump(mode="json"))
    if known is None:
        name = f"{NAME_PREFIX}{origin.name.removeprefix(NAME_PREFIX)}"[:120]
        known = await _saved(session, caller, name, twice, origin)
    wanted = RunCreate(**request.model_dump(exclude={"arm", "blocks"}))
    named = {*twice.slots, *twice.named_builds}  # the other arms' builds take no part
    wanted.nginx = {name: binary for name, binary in wanted.nginx.items() if name in named}
    return await runs.create(session, caller, known, wanted)


async def _saved(session: AsyncSession, caller: Caller, name: str, definition: Definition, origin: Experiment) -> UUID:
    made = await experiment_service.add(session, caller, name, definition, origin.template_key, team_id=origin.team_id)
    return made.id


async def of_host(session: AsyncSession, caller: Caller, host_id: UUID) -> Sequence[CalibrationOut]:
    """The calibrations in which the host took part and that the caller may read, newest first. Raises NotFound."""
    await hosts.get_registered(session, host_id)
    read = {host.id: inventory_or_none(host) for host in await registered.registered_hosts(session)}
    now = {host: inventory for host, inventory in read.items() if inventory is not None}
    return [_out(one, now) for one in await repository.of_host(session, caller, host_id)]


def _out(calibration: Calibration, now: dict[UUID, Inventory]) -> CalibrationOut:
    inventories = {slot: now[UUID(host)] for slot, host in calibration.hosts.items() if UUID(host) in now}
    current = {
        slot: _again(recorded_facts(calibration.fingerprint, slot), found) for slot, found in inventories.items()
    }
    removed = (
        "a host was removed or its inventory cannot be read" if len(inventories) < len(calibration.hosts) else None
    )
    return CalibrationOut(
        id=calibration.id,
        run_id=calibration.run_id,
        experiment_id=calibration.experiment_id,
        experiment_name=calibration.experiment.name,
        template_key=calibration.template_key,
        taken_at=calibration.taken_at,
        measure_s=calibration.measure_s,
        hosts=names_of_hosts(calibration),
        host_of_slot={slot: UUID(host) for slot, host in calibration.hosts.items()},
        stale=removed or why_stale(calibration, current),
        noise=readable_noise(calibration.noise),
    )


def _again(recorded: Facts, inventory: Inventory) -> Facts:
    """The same facts today. A binary that is gone is a change."""
    found = facts(inventory, nginx_path(recorded))
    return {name: found[name] for name in recorded if name in found}
