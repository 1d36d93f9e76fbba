"""SQL of lists of runs, and the filters that they may have."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time
from typing import Annotated, Any, Literal, TypeAlias
from uuid import UUID

from fastapi import Query
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field
from sqlalchemy import ColumnElement, Select, String, case, cast, func, literal, or_, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from ngxlab.accounts.access import Caller
from ngxlab.accounts.models import Account
from ngxlab.analysis.schemas import VerdictState
from ngxlab.core import paging
from ngxlab.core.payload import MOST_ROWS, Prose
from ngxlab.experiments.models import Experiment
from ngxlab.experiments.repository import hidden
from ngxlab.hosts.models import Host
from ngxlab.runs.models import Run, RunHost
from ngxlab.runs.schemas import MOST_OF_A_BRANCH, Tag
from ngxlab.runs.states import RunState

RunOrder = Literal["created", "name", "state", "verdict", "duration"]
_MOST_WORDS = 10

Words = Annotated[Prose, Field(max_length=200), AfterValidator(lambda text: " ".join(text.split()[:_MOST_WORDS]))]
_Name = Annotated[Prose, Field(max_length=200)]
_Branch = Annotated[Prose, Field(max_length=MOST_OF_A_BRANCH)]


def _day(text: object) -> object:
    """Pydantic would take a number of seconds, too."""
    if isinstance(text, str) and not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        raise ValueError("is no date such as 2026-01-31")
    return text


Day = Annotated[date, BeforeValidator(_day)]


def _said(text: str) -> Any:
    return Field(description=text)


class RunFilter(BaseModel):
    """All that are given must hold."""

    experiment_id: Annotated[UUID | None, _said("Only of this experiment.")] = None
    search: Annotated[
        Words,
        _said(
            "Words, each at the beginning of a word of the run's experiment, note, headline, host or author, or within "
            "an nginx version, or one of its tags, or `#3` for its number. Words such as *the* and *of* do not count, "
            "unless there are no others: then they are looked for in names."
        ),
    ] = ""
    template: Annotated[_Name | None, _said("Only of this template, by its key.")] = None
    host: Annotated[_Name | None, _said("Only runs in which a host of this name took part.")] = None
    nginx: Annotated[
        _Name | None,
        _said("Only runs in which arms ran this version, as `nginx -v` says it, or a build that they call so."),
    ] = None
    state: Annotated[RunState | None, _said("Only in this state.")] = None
    verdict: Annotated[VerdictState | None, _said("Only with this verdict.")] = None
    tag: Annotated[list[Tag], Field(max_length=10), _said("Only with this tag; repeat it for several.")] = []
    branch: Annotated[_Branch | None, _said("Only of this branch of a repository.")] = None
    starred: Annotated[bool, _said("Only starred ones.")] = False
    by: Annotated[_Name | None, _said("Only of the person with this e-mail address.")] = None
    since: Annotated[Day | None, _said("Only created on this day (UTC) or later.")] = None
    until: Annotated[Day | None, _said("Only created on this day (UTC) or earlier.")] = None
    order: Annotated[RunOrder, _said("By what the runs are ordered.")] = "created"
    ascending: Annotated[bool, _said("The other way round: what was created first, or the first of the alphabet.")] = (
        False
    )
    limit: Annotated[int, Field(ge=1, le=200), _said(paging.LIMIT)] = 50
    start: Annotated[int, Field(ge=0, le=MOST_ROWS), _said(paging.START)] = 0


class RunChoices(BaseModel):
    """What the runs that there are can be filtered by. ``nginx``: versions, then the names of builds."""

    templates: list[str]
    hosts: list[str]
    nginx: list[str]
    people: list[str]
    tags: list[str]
    branches: list[str] = []


BRANCH = func.jsonb_extract_path_text(Run.revision, "branch")
RunQuery: TypeAlias = Annotated[RunFilter, Query()]


async def page(session: AsyncSession, caller: Caller, wanted: RunFilter) -> tuple[Sequence[Run], int]:
    """A page of the runs that match, and the number of all of them."""
    match = [*conditions(wanted), _seen_by(caller)]
    total = await session.scalar(select(func.count()).select_from(Run).where(*match)) or 0
    # Ordered by what is narrow: whole rows, with their analyses, are read of this page only.
    narrow = select(Run.id).join(NAMED, NAMED.id == Run.experiment_id).where(*match).order_by(*order(wanted))
    ids = (await session.scalars(narrow.limit(wanted.limit).offset(wanted.start))).all()
    found = {run.id: run for run in await session.scalars(select(Run).where(Run.id.in_(ids)))}
    return [found[one] for one in ids if one in found], total


def _seen_by(caller: Caller) -> "Condition":
    return Run.experiment_id.not_in(hidden(caller))


async def choices(session: AsyncSession, caller: Caller) -> RunChoices:
    """Choices that occur in runs, in alphabetical order."""
    seen = _seen_by(caller)
    with_run = Experiment.id.in_(select(Run.experiment_id).where(seen))
    templates = select(Experiment.template_key).where(Experiment.template_key.is_not(None), with_run).distinct()
    on_hosts = select(RunHost.host_id).join(Run, Run.id == RunHost.run_id).where(seen)
    hosts = select(Host.name).where(Host.id.in_(on_hosts))
    people = select(Account.email).where(Account.id.in_(select(Run.created_by).where(seen)))
    versions = select(func.jsonb_array_elements_text(Run.nginx_versions)).where(seen).distinct()
    sound = case((func.jsonb_typeof(Run.builds) == "object", Run.builds), else_=literal({}, JSONB))
    builds = select(func.jsonb_object_keys(sound)).where(seen).distinct()
    tags = select(func.unnest(Run.tags)).where(seen).distinct()
    branches = select(BRANCH).where(BRANCH.is_not(None), seen).distinct()
    return RunChoices(
        templates=sorted(str(key) for key in (await session.scalars(templates)).all()),
        hosts=sorted((await session.scalars(hosts)).all()),
        nginx=[*sorted((await session.scalars(versions)).all()), *sorted((await session.scalars(builds)).all())],
        people=sorted((await session.scalars(people)).all()),
        tags=sorted((await session.scalars(tags)).all()),
        branches=sorted(str(one) for one in await session.scalars(branches)),
    )


Condition = ColumnElement[bool]
NAMED = aliased(Experiment)
"""The experiment of each run, by whose name runs can be ordered; conditions have their own."""
_FILLERS = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "in", "is", "it", "of", "on", "or", "so", "than",
    "that", "the", "then", "this", "to", "was", "were", "with",
})  # fmt: skip
"""Words that nearly every text has: nobody tells runs apart by them. ``no`` and ``not`` do."""


def conditions(wanted: RunFilter) -> Iterator[Condition]:
    """Each must hold."""
    if wanted.experiment_id is not None:
        yield Run.experiment_id == wanted.experiment_id
    yield from _searched(wanted.search.split())
    if wanted.template is not None:
        yield Run.experiment_id.in_(select(Experiment.id).where(Experiment.template_key == wanted.template))
    if wanted.host is not None:
        yield Run.id.in_(_runs_on(Host.name == wanted.host))
    if wanted.by is not None:
        yield Run.created_by.in_(select(Account.id).where(Account.email == wanted.by))
    yield from _of_the_run(wanted)


def _of_the_run(wanted: RunFilter) -> Iterator[Condition]:
    if wanted.state is not None:
        yield Run.state == wanted.state
    if wanted.verdict is not None:
        yield Run.verdict == wanted.verdict
    if wanted.tag:
        yield Run.tags.contains(wanted.tag)
    if wanted.branch is not None:
        yield BRANCH.in_([wanted.branch])
    if wanted.starred:
        yield Run.starred.is_(True)
    if wanted.nginx is not None:
        yield or_(Run.nginx_versions.contains([wanted.nginx]), Run.builds.has_key(wanted.nginx))
    if wanted.since is not None:
        yield Run.created_at >= datetime.combine(wanted.since, time.min, UTC)
    if wanted.until is not None:
        yield Run.created_at <= datetime.combine(wanted.until, time.max, UTC)


def _searched(words: Sequence[str]) -> Iterator[Condition]:
    """Each word that tells something, somewhere; where none does, each in a name."""
    telling = [word for word in words if word.lower() not in _FILLERS]
    yield from (_has_word(word) for word in telling) if telling else (_is_named(word) for word in words)


def _has_word(word: str) -> Condition:
    """``#3`` is a number; else the beginning of a word somewhere."""
    number = word.removeprefix("#")
    if word.startswith("#") and number.isdecimal() and len(number) <= 9:
        return Run.number == int(number)
    return or_(Run.words.op("@@")(_prefix(word)), _is_named(word))


def _is_named(word: str) -> Condition:
    """Matches names that people gave, and names of people."""
    experiments = select(Experiment.id).where(Experiment.name.icontains(word, autoescape=True))
    authors = select(Account.id).where(Account.email.istartswith(word, autoescape=True))
    return or_(
        Run.tags.contains([word.lower()]),
        cast(Run.nginx_versions, String).icontains(word, autoescape=True),
        Run.experiment_id.in_(experiments),
        Run.created_by.in_(authors),
        Run.id.in_(_runs_on(Host.name.istartswith(word, autoescape=True))),
    )


def _prefix(word: str) -> ColumnElement[Any]:
    """A query of one quoted word, or of the parts of it that PostgreSQL takes for words."""
    quoted = word.replace("\\", "\\\\").replace("'", "''")
    return func.to_tsquery("simple", f"'{quoted}':*")


def _runs_on(host: Condition) -> Select[UUID]:
    return select(RunHost.run_id).join(Host, Host.id == RunHost.host_id).where(host)


def order(wanted: RunFilter) -> list[ColumnElement[Any]]:
    """The order of runs joined with :data:`NAMED`; the newest first among equals."""
    # Pages follow each other only where no two runs are equal. An index has the first of these orders.
    if wanted.order == "created":
        return [column.asc() if wanted.ascending else column.desc() for column in (Run.created_at, Run.id)]
    columns: dict[str, Any] = {
        "name": func.lower(NAMED.name),
        "state": Run.state,
        "verdict": Run.verdict,
        "duration": Run.finished_at - Run.started_at,
    }
    column = columns[wanted.order]
    first = column.asc() if wanted.ascending else column.desc()
    return [first.nulls_last(), Run.created_at.desc(), Run.id.desc()]
