"""Who may call an endpoint: what all such decisions share.

Each route carries exactly one decision (a test checks this): :func:`public` here, a person's role in
``accounts.access``, a host's or the coordinator's credential in ``worker_api.access``.
"""

from fastapi import Request


def bearer_token(request: Request) -> str | None:
    """The token of the Authorization header, if it has one."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" and token.strip() else None


async def public() -> None:
    """Dependency: anyone. Written out, so that an open route is a decision and not an omission."""
