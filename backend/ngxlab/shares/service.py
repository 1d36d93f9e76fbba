"""Links: made, listed, refreshed, revoked and opened."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal, get_args
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts.access import Caller, require_owner
from ngxlab.accounts.secrets import new_token, token_hash
from ngxlab.audit.acts import Act
from ngxlab.audit.record import ANYONE, Object, address_class, record_once
from ngxlab.core.clock import utcnow
from ngxlab.core.config import Settings
from ngxlab.core.errors import NotFound, existing
from ngxlab.core.paging import CountedPage, PageQuery
from ngxlab.core.request_context import current_request
from ngxlab.core.stored_json import Unreadable
from ngxlab.runs import service as runs
from ngxlab.runs.models import Run, Trial
from ngxlab.runs.presentation import run_summary
from ngxlab.runs.results.jobs import require_results
from ngxlab.runs.service import run_object
from ngxlab.shares import repository
from ngxlab.shares.models import Share, ShareKind
from ngxlab.shares.schemas import LiveShare, ShareCreate, ShareCreated, ShareOut
from ngxlab.shares.snapshots import outdated, take
from ngxlab.shares.subjects import OfComparison, OfReport, OfTrends, Subject, subject_of, unknown_link


async def create(
    session: AsyncSession, settings: Settings, caller: Caller, subject: Subject, request: ShareCreate
) -> tuple[Share, ShareCreated]:
    """A new link. Only the answer contains it."""
    await subject.require_right(session, caller)
    await require_results(session, subject.runs)
    token = new_token("")
    share = Share(kind=subject.kind, token_hash=token_hash(token), created_by=caller.account.id, label=request.label)
    share.token_id = caller.token.id if caller.token is not None else None
    share.expires_at = utcnow() + timedelta(days=request.expires_in_days) if request.expires_in_days else None
    share.experiment_id = subject.experiment_id if isinstance(subject, OfTrends) else None
    share.asked = subject.asked.model_dump(mode="json") if isinstance(subject, OfComparison) else None
    session.add(share)
    await session.flush()
    shown = await take(session, share, subject)
    await session.refresh(share)
    out = _out(share, shown.as_of, is_outdated=False)
    return share, ShareCreated(**out.model_dump(), url=f"{settings.public_url}/shared/{token}{subject.path}")


async def of_run(session: AsyncSession, caller: Caller, run_id: UUID) -> list[ShareOut]:
    """Who may share a run sees which links show it, not the links themselves."""
    await OfReport(run_id).require_right(session, caller)
    return await _listed(session, await repository.shares_of_run(session, run_id), ShareKind.report)


async def of_comparison(session: AsyncSession, caller: Caller, subject: OfComparison) -> list[ShareOut]:
    """Which links compare the same runs, whichever of their arms."""
    await subject.require_right(session, caller)
    asked = set(subject.asked.runs)
    found = await repository.shares_of_run(session, subject.asked.runs[0])
    same = [share for share in found if share.kind == ShareKind.comparison and share.run_ids == asked]
    return await _listed(session, same, ShareKind.comparison)


async def of_trends(session: AsyncSession, caller: Caller, subject: OfTrends) -> list[ShareOut]:
    await subject.require_right(session, caller)
    found = await repository.shares_of_trends(session, subject.experiment_id)
    return await _listed(session, found, ShareKind.trends)


async def live(session: AsyncSession, page: PageQuery) -> CountedPage[LiveShare]:
    """All links that have not ended, for administrators."""
    found, total = await repository.shares_that_last(session, page.start, page.limit)
    items = [
        LiveShare(
            id=share.id,
            kind=ShareKind(share.kind),
            what=(await share_object(session, share)).name,
            run_id=next(iter(share.run_ids), None) if share.kind == ShareKind.report else None,
            label=share.label,
            created_by=share.author.email,
            by_token=share.token.name if share.token else None,
            created_at=share.created_at,
            expires_at=share.expires_at,
            works=share.works,
            opened=share.opened,
            last_opened_at=share.last_opened_at,
        )
        for share in found
    ]
    return CountedPage(items=items, next=page.following(total), total=total)


async def _listed(session: AsyncSession, found: Sequence[Share], examined: ShareKind) -> list[ShareOut]:
    """``examined``: of which it is said whether they are outdated."""
    kept = await repository.kept(session, [share.id for share in found])
    old = await outdated(session, [share for share in found if share.kind == examined], kept)
    as_of = {share_id: copy.taken_at for share_id, copy in kept.items()}
    return [_out(share, as_of.get(share.id), is_outdated=share.id in old) for share in found]


async def refresh(session: AsyncSession, caller: Caller, share_id: UUID) -> tuple[Share, ShareOut]:
    """Let a link show what its owner reads now; who does so in person adopts it. Raises NotFound for one that does not
    work any more."""
    share, subject = await _own(session, caller, share_id)
    if caller.token is None:
        share.token_id = None
        await session.flush()
        await session.refresh(share)
    shown = await take(session, share, subject)
    return share, _out(share, shown.as_of, is_outdated=False)


async def revoke(session: AsyncSession, caller: Caller, share_id: UUID) -> Share:
    share = existing(await repository.share(session, share_id), "link")
    try:
        await subject_of(share).require_right(session, caller)
    except Unreadable:
        require_owner(caller, share.created_by, "link")
    share.revoked_at = share.revoked_at or utcnow()
    await session.flush()
    await repository.drop_ended_copies(session)
    return share


async def shared(session: AsyncSession, token: str, kind: ShareKind | None = None) -> Share:
    """The share behind a link. Raises the same NotFound for unknown, revoked and expired links.

    ``kind``: what it has to show; ``None`` for anything.
    """
    share = await repository.open_share(session, token_hash(token))
    if share is None or kind not in {None, share.kind}:
        raise unknown_link()
    return share


async def shared_trial(session: AsyncSession, share: Share, trial_id: UUID) -> tuple[Run, Trial]:
    """A trial of a shared run. Raises NotFound for any other, and where a link shows no trials."""
    trial = await runs.trial(session, trial_id)
    if share.kind == ShareKind.trends or trial.run_id not in share.run_ids:
        raise NotFound("This link shows no such trial.")
    return await runs.get(session, trial.run_id), trial


async def _own(session: AsyncSession, caller: Caller, share_id: UUID) -> tuple[Share, Subject]:
    share = existing(await repository.share(session, share_id), "link")
    subject = subject_of(share)
    await subject.require_right(session, caller)
    return share, subject


def _out(share: Share, as_of: datetime | None, *, is_outdated: bool) -> ShareOut:
    told = {"as_of": as_of, "is_outdated": is_outdated, "by_token": share.token.name if share.token else None}
    return ShareOut(**{name: getattr(share, name) for name in ShareOut.model_fields if name not in told}, **told)


_Page = Literal["report", "comparison", "trends"]


async def share_object(session: AsyncSession, share: Share) -> Object:
    """A share of a report has the name of its run."""
    try:
        subject = subject_of(share)
    except Unreadable:
        return Object("share", share.id, "What it compares cannot be read")
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
