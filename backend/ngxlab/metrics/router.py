"""/metrics."""

from fastapi import APIRouter

from ngxlab.accounts.access import Viewer
from ngxlab.analysis.series.catalogue import CATALOGUE
from ngxlab.analysis.series.schemas import SeriesInfo
from ngxlab.core.access import GuardedRoute
from ngxlab.core.paging import Page, Paging

router = APIRouter(route_class=GuardedRoute, prefix="/metrics", tags=["metrics"])


@router.get("/catalogue")
async def get_catalogue(_: Viewer, page: Paging) -> Page[SeriesInfo]:
    """The series that can be charted: titles, units, and which direction is better, if any."""
    return page.of(list(CATALOGUE))
