"""/runs, and the endpoints that start them."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, status

from ngxlab.accounts.access import Experimenter, Viewer
from ngxlab.audit.acts import Act
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep, after_commit, bus_of
from ngxlab.core.errors import TooManyRequests, responses
from ngxlab.core.paging import CountedPage, Page, Paging
from ngxlab.experiments.preview_process import PreviewProcessDep
from ngxlab.runs import list_repository as history
from ngxlab.runs import service, steering
from ngxlab.runs.audit_entries import recorded
from ngxlab.runs.list_filters import RunChoices, RunQuery
from ngxlab.runs.preflight.template_fit import fit
from ngxlab.runs.schemas import ExperimentRuns, FitRequest, RunCreate, RunDetail, RunSummary, TemplateFit
from ngxlab.runs.states import RunState
from ngxlab.templates.registry import template

router = APIRouter(route_class=GuardedRoute, tags=["runs"])


@router.get("/runs")
async def list_runs(session: SessionDep, _: Viewer, wanted: RunQuery) -> CountedPage[RunSummary]:
    """The runs that match, newest first unless ordered otherwise."""
    return await service.page(session, wanted)


@router.get("/runs/choices")
async def list_run_choices(session: SessionDep, _: Viewer) -> RunChoices:
    """By which templates, hosts, versions of nginx, people and tags runs can be filtered."""
    return await history.choices(session)


@router.get("/runs/by-experiment")
async def list_runs_by_experiment(
    session: SessionDep, _: Viewer, page: Paging, experiment_id: Annotated[list[UUID], Query(max_length=200)]
) -> Page[ExperimentRuns]:
    """The number of runs of each of these experiments, and its newest run; experiments without runs are left out."""
    return page.of(await service.by_experiment(session, experiment_id))


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
