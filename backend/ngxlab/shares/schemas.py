"""Payloads of shares."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints

from ngxlab.analysis.series.schemas import SeriesInfo
from ngxlab.compare.schemas import RunComparison
from ngxlab.compare.selection import MOST_RUNS
from ngxlab.core.payload import Id, Name, Payload
from ngxlab.reports.schemas import Report
from ngxlab.shares.models import ShareKind
from ngxlab.trends.schemas import Trends

_Asked = Annotated[str, StringConstraints(max_length=500)]


class ShareCreate(Payload):
    """``expires_in_days``: ``null`` for a link that works until it is revoked. ``label``: for whom it is, say."""

    expires_in_days: Annotated[int, Field(ge=1, le=3650)] | None = None
    label: Name | None = None


class ComparisonShareCreate(ShareCreate):
    """``runs``, ``arms``, ``baseline`` and ``factor`` as ``GET /compare`` takes them."""

    runs: Annotated[list[Id], Field(min_length=2, max_length=MOST_RUNS)]
    arms: Annotated[list[_Asked], Field(max_length=100)] = []
    baseline: _Asked | None = None
    factor: Annotated[list[_Asked], Field(max_length=50)] = []


class ShareOut(BaseModel):
    id: UUID
    kind: ShareKind
    label: str | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    works: bool = Field(
        description="whether it can be opened now: it has not ended, nor has the token that made it, and whoever made "
        "it is not disabled"
    )
    by_token: str | None = Field(
        description="the API token that made it, and with which it ends, until somebody refreshes it in person"
    )
    opened: int = Field(description="how often what it shows was opened through it")
    last_opened_at: datetime | None
    as_of: datetime | None = Field(description="when what it shows was kept; null where it shows what is so now")
    is_outdated: bool = Field(description="its owner reads something else by now, and may refresh it")


class LiveShare(BaseModel):
    """A link that has not ended, of whomever it is."""

    id: UUID
    kind: ShareKind
    what: str = Field(description="the name of what it shows: a run, a comparison, an experiment")
    run_id: UUID | None = Field(description="of a report")
    label: str | None
    created_by: str = Field(description="whose link it is")
    by_token: str | None = Field(description="the API token that made it, and with which it ends")
    created_at: datetime
    expires_at: datetime | None
    works: bool = Field(description="false while its person is disabled")
    opened: int = Field(description="how often what it shows was opened through it")
    last_opened_at: datetime | None


class ShareCreated(ShareOut):
    """``url`` is shown this once; only a hash of its token is kept."""

    url: str


class SharedReport(Report):
    """A report as a link shows it."""

    as_of: datetime | None = Field(description="when it was kept as it stands here; null while the run goes on")


class SharedComparison(RunComparison):
    """A comparison as a link shows it, with what names its charts."""

    as_of: datetime
    catalogue: list[SeriesInfo]


class SharedTrends(Trends):
    """Trends as a link shows them."""

    as_of: datetime
