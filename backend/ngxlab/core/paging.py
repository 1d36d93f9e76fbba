"""Lists of the API: all are answered page by page, in the same form.

A client that wants everything asks again with ``start`` = ``next`` until ``next`` is null.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

from fastapi import Depends, Query
from pydantic import BaseModel

from ngxlab.core.payload import MOST_ROWS

Item = TypeVar("Item")

MOST_ITEMS = 1000
START = "Where the page begins: what `next` of the page before says; without it, the list's beginning."
LIMIT = "The most items of a page."


class Page(BaseModel, Generic[Item]):
    """One page of a list. ``next``: give it as ``start`` for the following items; null at the end."""

    items: list[Item]
    next: int | None

    @classmethod
    def model_parametrized_name(cls, params: tuple[Any, ...]) -> str:
        """Return a plain name for the schema: ``HostPage`` for a page of ``HostSummary``."""
        return f"{params[0].__name__}".removesuffix("Summary").removesuffix("Out") + "Page"


class CountedPage(Page[Item], Generic[Item]):
    """A page that says how many items the whole list has."""

    total: int


class PageQuery(NamedTuple):
    """The page that was asked for; ``start`` counts items from 0."""

    start: int
    limit: int

    def of(self, items: Sequence[Item]) -> Page[Item]:
        """Return this page of a whole list."""
        return Page(items=list(items[self.start : self.start + self.limit]), next=self.following(len(items)))

    def following(self, total: int) -> int | None:
        """Return where the next page of a list of ``total`` items begins; ``None`` at its end."""
        end = self.start + self.limit
        return end if end < total else None


Start = Annotated[int, Query(ge=0, le=MOST_ROWS, description=START)]


def _page_query(
    start: Start = 0, limit: Annotated[int, Query(ge=1, le=MOST_ITEMS, description=LIMIT)] = MOST_ITEMS
) -> PageQuery:
    return PageQuery(start, limit)


Paging = Annotated[PageQuery, Depends(_page_query)]
"""The query parameters of a list that is short as a rule: without them, the answer is all of it up to 1,000 items."""
