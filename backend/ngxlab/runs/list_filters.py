"""Which runs a list shows, and in which order, as its address says it."""

import re
from datetime import date
from typing import Annotated, Any, Literal, TypeAlias
from uuid import UUID

from fastapi import Query
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field

from ngxlab.analysis.schemas import VerdictState
from ngxlab.core import paging
from ngxlab.core.payload import MOST_ROWS, Prose
from ngxlab.runs.schemas import Tag
from ngxlab.runs.states import RunState

RunOrder = Literal["created", "name", "state", "verdict", "duration"]
_MOST_WORDS = 10

Words = Annotated[Prose, Field(max_length=200), AfterValidator(lambda text: " ".join(text.split()[:_MOST_WORDS]))]
_Name = Annotated[Prose, Field(max_length=200)]


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


RunQuery: TypeAlias = Annotated[RunFilter, Query()]
