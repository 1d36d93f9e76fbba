"""/runs, and the endpoints that start them."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, status
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller, Experimenter, Viewer
from ngxlab.audit.acts import Act
from ngxlab.audit.record import record
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep, after_commit, bus_of
from ngxlab.core.errors import NotFound, TooManyRequests, responses
from ngxlab.core.paging import CountedPage, Page, Paging
from ngxlab.definition.preview.schemas import ImportRequest
from ngxlab.experiments.preview_process import PreviewProcessDep
from ngxlab.experiments.preview_work import ReadDocument
from ngxlab.experiments.service import from_document
from ngxlab.experiments.service import require_readable as require_readable_experiment
from ngxlab.runs import list_repository as history
from ngxlab.runs import service, steering, window_choice
from ngxlab.runs.list_repository import RunChoices, RunQuery
from ngxlab.runs.power import calibrate, plan
from ngxlab.runs.power.schemas import CalibrationOut, CalibrationRequest, NewPowerRequest, PlanPower, PowerRequest
from ngxlab.runs.preflight.template_fit import fit
from ngxlab.runs.presentation import run_summary
from ngxlab.runs.results.jobs import verdict_waited
from ngxlab.runs.schemas import (
    BlocksWanted,
    ExperimentRuns,
    FitRequest,
    ProfilesPossible,
    ProfilesWanted,
    RunCreate,
    RunDetail,
    RunSummary,
    RunTags,
    RunWindows,
    TagChange,
    TemplateFit,
    TrialWindowChoice,
    WindowChoice,
)
from ngxlab.runs.service import recorded, run_object
from ngxlab.runs.states import RunState
from ngxlab.templates.registry import template

router = APIRouter(route_class=GuardedRoute, tags=["runs"])


@router.get("/runs")
async def list_runs(session: SessionDep, caller: Viewer, wanted: RunQuery) -> CountedPage[RunSummary]:
    """The runs that match, newest first unless ordered otherwise."""
    return await service.page(session, caller, wanted)


@router.get("/runs/choices")
async def list_run_choices(session: SessionDep, caller: Viewer) -> RunChoices:
    """By which templates, hosts, versions of nginx, people and tags runs can be filtered."""
    return await history.choices(session, caller)


@router.get("/runs/by-experiment")
async def list_runs_by_experiment(
    session: SessionDep, caller: Viewer, page: Paging, experiment_id: Annotated[list[UUID], Query(max_length=200)]
) -> Page[ExperimentRuns]:
    """The number of runs of each of these experiments, and its newest run; experiments without runs are left out."""
    return page.of(await service.by_experiment(session, caller, experiment_id))


@router.post("/experiments/{experiment_id:uuid}/runs", status_code=status.HTTP_201_CREATED)
async def start_run(experiment_id: UUID, body: RunCreate, session: SessionDep, caller: Experimenter) -> RunDetail:
    """Queue a run of the experiment's latest version; it starts as soon as its hosts are free."""
    run = await service.create(session, caller, experiment_id, body)
    return await recorded(session, caller, Act.run_started, run)


@router.post("/templates/{key}/fit", responses=responses(TooManyRequests))
async def fit_template(
    key: str, body: FitRequest, session: SessionDep, caller: Viewer, previews: PreviewProcessDep
) -> TemplateFit:
    """Whether these hosts meet the template's needs with these parameters, and what is missing."""
    definition = await previews.built(caller, key, body.parameters)
    return await fit(session, template(key), definition, body)


@router.get("/runs/{run_id:uuid}")
async def get_run(run_id: UUID, session: SessionDep, caller: Viewer) -> RunDetail:
    """A run with its plan, trials and progress."""
    found = await service.detail(session, run_id, caller)
    if not RunState(found.state).final:
        after_commit(session, lambda: bus_of(session).say_watched(run_id))
    return found


@router.post("/runs/{run_id:uuid}/cancel")
async def cancel_run(run_id: UUID, session: SessionDep, caller: Experimenter) -> RunDetail:
    """End a run within seconds. The data measured so far is kept and reported."""
    return await recorded(session, caller, Act.run_cancelled, await service.cancel(session, caller, run_id))


@router.post("/runs/{run_id:uuid}/finish")
async def finish_run(run_id: UUID, session: SessionDep, caller: Experimenter) -> RunDetail:
    """End a run after the block in progress. Later blocks are dropped; the verdict is one that holds at any look."""
    await steering.finish(session, caller, run_id)
    return await recorded(session, caller, Act.run_finished_early, await service.detail(session, run_id, caller))


@router.post("/runs/{run_id:uuid}/blocks")
async def add_blocks(run_id: UUID, body: BlocksWanted, session: SessionDep, caller: Experimenter) -> RunDetail:
    """Let a completed run go on, with the blocks that would have followed, until it has so many in all. Asking twice
    for the same number is harmless. What was decided stands; the verdict on all blocks follows when they are complete.
    """
    added = await steering.add_blocks(session, caller, run_id, body.blocks)
    run = await service.detail(session, run_id, caller)
    return await recorded(session, caller, Act.blocks_added, run, blocks=body.blocks) if added else run


@router.get("/runs/{run_id:uuid}/profile")
async def get_profiles_possible(run_id: UUID, session: SessionDep, caller: Experimenter) -> ProfilesPossible:
    """Whether the caller may have the arms of the run profiled now, and if not, why."""
    return ProfilesPossible(reason=await steering.why_unprofiled(session, caller, run_id))


@router.post("/runs/{run_id:uuid}/profile")
async def profile_run(run_id: UUID, body: ProfilesWanted, session: SessionDep, caller: Experimenter) -> RunDetail:
    """Let a completed run go on with trials that show where nginx spends its CPU time, until each arm has so many. No
    verdict counts them. Asking twice for the same number is harmless."""
    added = await steering.profile(session, caller, run_id, body.trials)
    run = await service.detail(session, run_id, caller)
    return await recorded(session, caller, Act.run_profiled, run, trials=body.trials) if added else run


@router.post("/runs/{run_id:uuid}/pause")
async def pause_run(run_id: UUID, session: SessionDep, caller: Experimenter) -> RunDetail:
    """Finish the trial in progress and start no other until the run is resumed; meanwhile its hosts are free."""
    await steering.pause(session, caller, run_id)
    return await recorded(session, caller, Act.run_paused, await service.detail(session, run_id, caller))


@router.post("/runs/{run_id:uuid}/resume")
async def resume_run(run_id: UUID, session: SessionDep, caller: Experimenter) -> RunDetail:
    """Continue a paused run."""
    await steering.resume(session, caller, run_id)
    return await recorded(session, caller, Act.run_resumed, await service.detail(session, run_id, caller))


@router.post("/runs/{run_id:uuid}/retry")
async def retry_run(run_id: UUID, session: SessionDep, caller: Experimenter) -> RunDetail:
    """Repeat a failed run's missing trials; the data measured so far is kept."""
    await steering.retry_failed(session, caller, run_id)
    return await recorded(session, caller, Act.run_retried, await service.detail(session, run_id, caller))


@router.post("/trials/{trial_id:uuid}/skip")
async def skip_trial(trial_id: UUID, session: SessionDep, caller: Experimenter) -> RunDetail:
    """Continue without this trial; if it is in progress, it is stopped."""
    run_id = await steering.skip_trial(session, caller, trial_id)
    run = await service.detail(session, run_id, caller)
    return await recorded(session, caller, Act.trial_skipped, run, trial_id=str(trial_id))


@router.patch("/runs/{run_id:uuid}/tags")
async def tag_run(run_id: UUID, body: TagChange, session: SessionDep, caller: Experimenter) -> RunTags:
    """Add tags to one of your own runs, and remove others: short words by which everybody finds it."""
    run, added, removed = await steering.tag(session, caller, run_id, body)
    if added or removed:
        on = run_object(run_summary(run))
        await record(session, caller.actor, Act.run_tagged, on, added=added or None, removed=removed or None)
    return RunTags(tags=run.tags)


@router.put("/runs/{run_id:uuid}/window")
async def choose_window(run_id: UUID, body: WindowChoice, session: SessionDep, caller: Experimenter) -> RunWindows:
    """Choose the measured window of all trials of a finished run. Its report says so."""
    windows = await window_choice.choose(session, caller, run_id, body)
    await _record(session, caller, Act.window_chosen, run_id, **body.model_dump(exclude_none=True))
    return windows


@router.delete("/runs/{run_id:uuid}/window")
async def restore_window(run_id: UUID, session: SessionDep, caller: Experimenter) -> RunWindows:
    """Return to the planned window, for the run and for single trials."""
    windows = await window_choice.choose(session, caller, run_id, None)
    await _record(session, caller, Act.window_restored, run_id)
    return windows


@router.put("/trials/{trial_id:uuid}/window")
async def choose_trial_window(
    trial_id: UUID, body: TrialWindowChoice, session: SessionDep, caller: Experimenter
) -> RunWindows:
    """Choose the measured window of one trial of a finished run: an exception, with its reason."""
    run_id, windows = await window_choice.choose_for_trial(session, caller, trial_id, body)
    await _record(session, caller, Act.window_chosen, run_id, trial_id=str(trial_id), **body.model_dump())
    return windows


@router.delete("/trials/{trial_id:uuid}/window")
async def restore_trial_window(trial_id: UUID, session: SessionDep, caller: Experimenter) -> RunWindows:
    """Let a trial have the window of its run again."""
    run_id, windows = await window_choice.choose_for_trial(session, caller, trial_id, None)
    await _record(session, caller, Act.window_restored, run_id, trial_id=str(trial_id))
    return windows


async def _record(session: AsyncSession, caller: Caller, act: Act, run_id: UUID, **detail: Any) -> None:
    """Enter what was done, and wait a while for what follows from it."""
    run = await service.get(session, run_id)
    await record(session, caller.actor, act, run_object(run_summary(run)), **detail)
    await verdict_waited(session, run_id)


@router.post("/experiments/{experiment_id:uuid}/power")
async def get_plan_power(experiment_id: UUID, body: PowerRequest, session: SessionDep, _: Viewer) -> PlanPower:
    """What a run of the experiment's latest version on these hosts would find with 80 % power."""
    return await plan.plan_power(session, experiment_id, body)


@router.post("/experiments/power", responses=responses(NotFound, TooManyRequests))
async def get_power_of_new_plan(
    body: NewPowerRequest, session: SessionDep, caller: Viewer, previews: PreviewProcessDep
) -> PlanPower:
    """The same of an experiment that is not saved, and is not saved by this."""
    if body.experiment_id is not None:
        await require_readable_experiment(session, caller, body.experiment_id)
    if body.template_key is not None:
        built = await previews.built(caller, body.template_key, body.parameters)
        return await plan.power_of_new(session, built, body.template_key, body)
    if body.definition is not None:
        edited = await previews.definition(caller, body.definition)
        return await plan.power_of_new(session, edited, edited.template.key if edited.template else None, body)
    read = await previews.run(caller, "read_document", ImportRequest(yaml=body.yaml or "", name=None))
    return await plan.power_of_new(session, *from_document(ReadDocument.model_validate_json(read)), body)


@router.post("/experiments/{experiment_id:uuid}/calibrations", status_code=status.HTTP_201_CREATED)
async def start_calibration(
    experiment_id: UUID, body: CalibrationRequest, session: SessionDep, caller: Experimenter
) -> RunDetail:
    """Queue a run that compares one arm of the experiment with itself, to measure the noise of these hosts."""
    run = await calibrate.calibrate(session, caller, experiment_id, body)
    return await recorded(session, caller, Act.calibration_started, run, of_experiment=str(experiment_id))


@router.get("/hosts/{host_id:uuid}/calibrations")
async def list_calibrations(host_id: UUID, session: SessionDep, caller: Viewer, page: Paging) -> Page[CalibrationOut]:
    """What comparisons of identical arms showed on a host, newest first, and which of them are stale."""
    return page.of(list(await calibrate.of_host(session, caller, host_id)))
