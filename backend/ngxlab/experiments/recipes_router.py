"""/recipes."""

from fastapi import APIRouter
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Viewer
from ngxlab.core.access import GuardedRoute
from ngxlab.core.database import SessionDep
from ngxlab.core.paging import Page, Paging
from ngxlab.hosts.models import inventory_or_none
from ngxlab.hosts.repository import registered_hosts
from ngxlab.recipes import service
from ngxlab.recipes.registry import recipe, recipes
from ngxlab.recipes.schemas import RecipeDetail, RecipeSummary
from ngxlab.recipes.service import KnownHost

router = APIRouter(route_class=GuardedRoute, prefix="/recipes", tags=["recipes"])


@router.get("")
async def list_recipes(session: SessionDep, _: Viewer, page: Paging) -> Page[RecipeSummary]:
    """Everyday questions as ready experiments, with what each showed last time, and whether the hosts can run it."""
    hosts = await _known_hosts(session)
    return page.of([service.summary(one, hosts) for one in recipes().values()])


@router.get("/{key}")
async def get_recipe(key: str, session: SessionDep, _: Viewer) -> RecipeDetail:
    """One recipe with its experiment, which is saved as any other: by its definition or as a document."""
    return service.detail(recipe(key), await _known_hosts(session))


async def _known_hosts(session: AsyncSession) -> list[KnownHost]:
    registered = await registered_hosts(session)
    known = ((host, inventory_or_none(host)) for host in registered)
    return [KnownHost(host.id, host.name, inventory) for host, inventory in known if inventory is not None]
