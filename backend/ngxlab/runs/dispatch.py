"""Give a trial to its hosts: the exact spec is made here and stored with the trial."""

from ngxlab_contracts.hosts import Inventory
from ngxlab_contracts.trials import NginxSpec, SamplingSpec, TimingSpec, TrialSpec
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.experiments import nginx_config
from ngxlab.experiments.definition import Definition
from ngxlab.experiments.resolve import resolve
from ngxlab.runs.models import Run, RunHost, Trial, TrialPart
from ngxlab.runs.states import TrialState
from ngxlab.runs.transitions import move_trial


def trial_spec(definition: Definition, run: Run, trial: Trial, target: RunHost) -> TrialSpec:
    """What the target host does in this trial."""
    plan = definition.plan
    arm = definition.arm(trial.arm)
    resolved = resolve(definition, arm)
    binary = Inventory.model_validate(target.inventory).nginx[0]
    return TrialSpec(
        trial_id=trial.id,
        run_id=run.id,
        host_id=target.host_id,
        arm=trial.arm,
        block=trial.block,
        position=trial.position,
        attempt=trial.attempt,
        nginx=NginxSpec(
            binary=binary.path,
            config=nginx_config.render(definition, arm),
            workers=resolved.workers,
        ),
        streams=resolved.streams,
        timing=TimingSpec(warmup_s=plan.warmup_s, measure_s=plan.measure_s, cooldown_s=plan.cooldown_s),
        sampling=SamplingSpec(interval_ms=plan.interval_ms),
    )


async def dispatch(session: AsyncSession, run: Run, trial: Trial) -> None:
    """Store each host's spec and make the trial claimable."""
    definition = Definition.model_validate(run.version.definition)
    for entry in run.hosts:
        spec = trial_spec(definition, run, trial, entry)
        session.add(TrialPart(trial_id=trial.id, host_id=entry.host_id, spec=spec.model_dump(mode="json")))
    await move_trial(session, trial, TrialState.dispatched)
    await session.refresh(trial, ["parts"])
