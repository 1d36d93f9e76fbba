"""What the audit log keeps about shares: who made them, and what left through them."""

from typing import Literal, get_args

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.audit.acts import Act
from ngxlab.audit.record import ANYONE, Object, address_class, record_once
from ngxlab.core.clock import utcnow
from ngxlab.core.request_context import current_request
from ngxlab.runs import service as runs
from ngxlab.runs.audit_entries import run_object
from ngxlab.runs.presentation import run_summary
from ngxlab.shares import repository
from ngxlab.shares.models import Share
from ngxlab.shares.subjects import OfReport, subject_of

_Page = Literal["report", "comparison", "trends"]


async def share_object(session: AsyncSession, share: Share) -> Object:
    """A share of a report has the name of its run."""
    subject = subject_of(share)
    if isinstance(subject, OfReport):
        return Object("share", share.id, run_object(run_summary(await runs.get(session, subject.run_id))).name)
    return Object("share", share.id, await subject.title(session))


async def record_opening(
    session: AsyncSession, share: Share, what: _Page | Literal["series", "files", "export"]
) -> None:
    """Enter what leaves through a share: once a day for each class of addresses, the rest is counted.

    Call it last: the count is locked until the commit.
    """
    request = current_request()
    visitors = address_class(request.address if request else None)
    key = f"share-opened {share.id} {what} {visitors} {utcnow():%Y-%m-%d}"
    on = await share_object(session, share)
    if what in get_args(_Page):
        await repository.count_opening(session, share.id)
    await record_once(session, key, ANYONE, Act.share_opened, on, what=what, visitors=visitors)
