"""What the audit log keeps about shares: who made them, and what left through them."""

from typing import Literal
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.audit.acts import Act
from ngxlab.audit.networks import address_class
from ngxlab.audit.record import ANYONE, Object, record_once
from ngxlab.core.clock import utcnow
from ngxlab.core.request_context import current_request
from ngxlab.reports import repository
from ngxlab.reports.models import Share
from ngxlab.runs import service as runs
from ngxlab.runs.audited import run_object
from ngxlab.runs.presentation import run_summary


async def share_object(session: AsyncSession, share_id: UUID, run_id: UUID) -> Object:
    """A share has the name of its run."""
    return Object("share", share_id, run_object(run_summary(await runs.get(session, run_id))).name)


async def record_opening(
    session: AsyncSession, share: Share, what: Literal["report", "series", "files", "export"]
) -> None:
    """Enter what leaves through a share: once a day for each class of addresses, the rest is counted.

    Call it last: the count is locked until the commit.
    """
    request = current_request()
    visitors = address_class(request.address if request else None)
    key = f"share-opened {share.id} {what} {visitors} {utcnow():%Y-%m-%d}"
    on = await share_object(session, share.id, share.run_id)
    if what == "report":
        await repository.count_opening(session, share.id)
    await record_once(session, key, ANYONE, Act.share_opened, on, what=what, visitors=visitors)
