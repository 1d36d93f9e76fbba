"""/accounts: which identities belong to which account, and leave to link one, for administrators."""

from datetime import timedelta
from uuid import UUID

from fastapi import APIRouter, Request, status

from ngxlab.accounts import repository as accounts
from ngxlab.accounts.access import AdministratorInPerson
from ngxlab.accounts.audit_entries import account_object
from ngxlab.accounts.oidc import repository
from ngxlab.accounts.oidc.schemas import IdentityLinks, LinkedIdentity, LinkPermitUpdate
from ngxlab.audit.acts import Act
from ngxlab.audit.record import record
from ngxlab.core.access import GuardedRoute
from ngxlab.core.clock import utcnow
from ngxlab.core.database import SessionDep
from ngxlab.core.errors import NotFound

router = APIRouter(route_class=GuardedRoute, prefix="/accounts", tags=["accounts"])

_PERMIT_FOR = timedelta(days=7)


@router.get("/identities")
async def list_identities(request: Request, session: SessionDep, _: AdministratorInPerson) -> IdentityLinks:
    """Which accounts sign in at the provider, and which may be linked to it."""
    found = await repository.identities(session)
    return IdentityLinks(
        enabled=request.app.state.oidc is not None,
        identities=[LinkedIdentity.model_validate(identity) for identity in found],
        permitted=await repository.permits(session, utcnow()),
    )


@router.put("/{account_id:uuid}/link-permit", status_code=status.HTTP_204_NO_CONTENT)
async def permit_link(
    account_id: UUID, body: LinkPermitUpdate, session: SessionDep, caller: AdministratorInPerson
) -> None:
    """Let the next identity with this account's verified address sign in as this account, once, within seven days."""
    account = await accounts.account_by_id(session, account_id)
    if account is None:
        raise NotFound("There is no such account.")
    if body.allowed:
        await repository.permit(session, account_id, utcnow() + _PERMIT_FOR)
    else:
        await repository.take_permit(session, account_id, utcnow())
    await record(session, caller.actor, Act.link_permitted, account_object(account), allowed=body.allowed)
