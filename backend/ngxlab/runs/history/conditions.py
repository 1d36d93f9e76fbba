"""A list's filter as SQL."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, time
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, String, cast, func, or_, select
from sqlalchemy.orm import aliased

from ngxlab.accounts.models import Account
from ngxlab.experiments.models import Experiment
from ngxlab.hosts.models import Host
from ngxlab.runs.history.filters import RunFilter
from ngxlab.runs.models import Run, RunHost

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
    """By what people named, or are called."""
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
    """Of runs joined with :data:`NAMED`. The newest first among equals."""
    columns: dict[str, Any] = {
        "created": Run.created_at,
        "name": func.lower(NAMED.name),
        "state": Run.state,
        "verdict": Run.verdict,
        "duration": Run.finished_at - Run.started_at,
    }
    column = columns[wanted.order]
    first = column.asc() if wanted.ascending else column.desc()
    return [first.nulls_last(), Run.created_at.desc()] if wanted.order != "created" else [first]
