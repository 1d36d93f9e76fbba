"""SQL of lists of runs."""

from collections.abc import Sequence

from sqlalchemy import case, func, literal, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.models import Account
from ngxlab.experiments.models import Experiment
from ngxlab.hosts.models import Host
from ngxlab.runs.history.conditions import NAMED, conditions, order
from ngxlab.runs.history.filters import RunChoices, RunFilter
from ngxlab.runs.models import Run, RunHost


async def page(session: AsyncSession, wanted: RunFilter) -> tuple[Sequence[Run], int]:
    """A page of the runs that match, and the number of all of them."""
    match = list(conditions(wanted))
    total = await session.scalar(select(func.count(Run.id)).where(*match)) or 0
    # Ordered by what is narrow: whole rows, with their analyses, are read of this page only.
    narrow = select(Run.id).join(NAMED, NAMED.id == Run.experiment_id).where(*match).order_by(*order(wanted))
    ids = (await session.scalars(narrow.limit(wanted.limit).offset(wanted.offset))).all()
    found = {run.id: run for run in await session.scalars(select(Run).where(Run.id.in_(ids)))}
    return [found[one] for one in ids if one in found], total


async def choices(session: AsyncSession) -> RunChoices:
    """Of runs that there are, in alphabetical order."""
    with_run = Experiment.id.in_(select(Run.experiment_id))
    templates = select(Experiment.template_key).where(Experiment.template_key.is_not(None), with_run).distinct()
    hosts = select(Host.name).where(Host.id.in_(select(RunHost.host_id)))
    people = select(Account.email).where(Account.id.in_(select(Run.created_by)))
    versions = select(func.jsonb_array_elements_text(Run.nginx_versions)).distinct()
    sound = case((func.jsonb_typeof(Run.builds) == "object", Run.builds), else_=literal({}, JSONB))
    builds = select(func.jsonb_object_keys(sound)).distinct()
    tags = select(func.unnest(Run.tags)).distinct()
    return RunChoices(
        templates=sorted(str(key) for key in (await session.scalars(templates)).all()),
        hosts=sorted((await session.scalars(hosts)).all()),
        nginx=[*sorted((await session.scalars(versions)).all()), *sorted((await session.scalars(builds)).all())],
        people=sorted((await session.scalars(people)).all()),
        tags=sorted((await session.scalars(tags)).all()),
    )
