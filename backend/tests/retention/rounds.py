"""The backend's own looks at what storage needs, at once instead of every ten seconds."""

from collections.abc import Callable

from harness import Backend
from ngxlab.core.database import database_of
from ngxlab.retention.upkeep import Upkeep
from services import wait_until
from sqlalchemy.ext.asyncio import AsyncSession


def look_until(backend: Backend, condition: Callable[[], bool], what: str) -> None:
    """As another process of the backend would, without a rule by age."""

    async def look(session: AsyncSession) -> None:
        await Upkeep(database_of(session), None).look()

    def looked() -> bool:
        backend.operator(look)
        return condition()

    wait_until(looked, what, 120)
