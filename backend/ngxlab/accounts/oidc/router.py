"""/auth/methods, /auth/oidc: to the provider and back. Problems are told on the sign-in page, by name."""

from typing import Annotated, Any
from urllib.parse import urlencode

import structlog
from fastapi import APIRouter, Depends, Query, Request, status
from fastapi.responses import RedirectResponse

from ngxlab.accounts.client import client_of, set_device_cookie, set_session_cookie
from ngxlab.accounts.oidc import provider as flows
from ngxlab.accounts.oidc import service
from ngxlab.accounts.oidc.provider import OidcRefused, Provider
from ngxlab.accounts.schemas import SignInMethods
from ngxlab.accounts.service import record_failed_sign_in
from ngxlab.core.access import GuardedRoute, public
from ngxlab.core.config import Settings
from ngxlab.core.errors import NotFound, responses

log = structlog.get_logger()

router = APIRouter(route_class=GuardedRoute, prefix="/auth", tags=["accounts"], dependencies=[Depends(public)])

_REDIRECT: dict[int | str, dict[str, Any]] = {
    status.HTTP_303_SEE_OTHER: {"description": "to the provider, the page asked for, or the sign-in page"}
}
_Text = Annotated[str | None, Query(max_length=4096)]


@router.get("/methods")
async def sign_in_methods(request: Request) -> SignInMethods:
    """The ways in which people sign in here."""
    settings: Settings = request.app.state.settings
    return SignInMethods(
        password=settings.password_sign_in, oidc_label=settings.oidc_label if settings.oidc_issuer else None
    )


def _provider(request: Request) -> Provider:
    """Raises NotFound where the settings name none."""
    provider: Provider | None = request.app.state.oidc
    if provider is None:
        raise NotFound("This installation has no sign-in provider.", code="no-provider")
    return provider


@router.get(
    "/oidc/start",
    response_class=RedirectResponse,
    status_code=status.HTTP_303_SEE_OTHER,
    responses=responses(NotFound) | _REDIRECT,
)
async def start_oidc(request: Request, next: _Text = None) -> RedirectResponse:  # noqa: A002 (the parameter's name)
    """Send the browser to the provider. ``next``: the page of this site to return to."""
    settings: Settings = request.app.state.settings
    flow = flows.begin(next)
    try:
        answer = _redirect(await _provider(request).authorization_url(flow))
    except OidcRefused as refused:
        return _to_sign_in(refused, flow)
    answer.set_cookie(
        flows.COOKIE,
        flows.sealed(flow, settings),
        max_age=flows.VALID_S,
        httponly=True,
        samesite="lax",
        secure=settings.secure_cookies,
        path=flows.COOKIE_PATH,
    )
    return answer


@router.get(
    "/oidc/callback",
    response_class=RedirectResponse,
    status_code=status.HTTP_303_SEE_OTHER,
    responses=responses(NotFound) | _REDIRECT,
)
async def finish_oidc(
    request: Request, state: _Text = None, code: _Text = None, error: _Text = None, iss: _Text = None
) -> RedirectResponse:
    """Take the provider's answer: sets a session cookie, or tells the sign-in page what is wrong."""
    settings: Settings = request.app.state.settings
    provider = _provider(request)
    flow = flows.opened(request.cookies.get(flows.COOKIE), settings)
    try:
        callback = service.Callback(state, code, error, iss)
        signed_in = await service.sign_in(
            request.app.state.database, provider, settings, flow, callback, client=client_of(request)
        )
    except OidcRefused as refused:
        await record_failed_sign_in(request.app.state.database, None, refused.problem)
        return _to_sign_in(refused, flow)
    answer = _redirect(flow.next if flow else "/")
    answer.delete_cookie(flows.COOKIE, path=flows.COOKIE_PATH)
    set_device_cookie(answer, signed_in.device_cookie, secure=settings.secure_cookies)
    set_session_cookie(answer, signed_in.opened.cookie, settings)
    return answer


def _redirect(address: str) -> RedirectResponse:
    headers = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
    return RedirectResponse(address, status_code=status.HTTP_303_SEE_OTHER, headers=headers)


def _to_sign_in(refused: OidcRefused, flow: flows.Flow | None) -> RedirectResponse:
    log.warning("sign-in at the provider failed", problem=refused.problem, reason=refused.reason)
    query = {"problem": str(refused.problem)} | ({"next": flow.next} if flow else {})
    answer = _redirect(f"/login?{urlencode(query)}")
    answer.delete_cookie(flows.COOKIE, path=flows.COOKIE_PATH)
    return answer
