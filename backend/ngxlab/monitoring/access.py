"""Who may read ``/metrics``: whoever has the token, or this machine itself, as the settings say; otherwise nobody."""

from hmac import compare_digest
from ipaddress import ip_address

from fastapi import Request

from ngxlab.core.access import bearer_token, decision
from ngxlab.core.config import Settings
from ngxlab.core.errors import NotFound, NotSignedIn

_FORWARDED = ("x-forwarded-for", "forwarded", "x-real-ip")


@decision("monitor")
async def monitor(request: Request) -> None:
    """Dependency. Raises NotFound where no setting opens the page, NotSignedIn for a wrong token."""
    settings: Settings = request.app.state.settings
    if settings.metrics_loopback and _is_from_this_machine(request):
        return
    if settings.metrics_token is None:
        raise NotFound("There is no such page.")
    given = (bearer_token(request) or "").encode()
    if not compare_digest(given, settings.metrics_token.get_secret_value().encode()):
        raise NotSignedIn("Metrics need their token: Authorization: Bearer …")


def _is_from_this_machine(request: Request) -> bool:
    """A proxy on this machine connects over loopback too, on behalf of anybody."""
    if request.client is None or any(name in request.headers for name in _FORWARDED):
        return False
    return ip_address(request.client.host).is_loopback
