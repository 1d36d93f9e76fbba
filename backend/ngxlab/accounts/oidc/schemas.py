"""Payloads of the ways to sign in."""

from datetime import datetime
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from ngxlab.core.payload import Payload


class SignInMethods(BaseModel):
    """``oidc_label``: what the provider is called, if there is one. ``password``: for everybody, or in an emergency
    for one administrator only.
    """

    password: bool
    oidc_label: str | None


class LinkedIdentity(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    account_id: UUID
    issuer: str
    email: str
    created_at: datetime
    last_used_at: datetime


class IdentityLinks(BaseModel):
    """``permitted``: accounts that the next identity with their address may join, and until when."""

    enabled: bool
    identities: list[LinkedIdentity]
    permitted: dict[UUID, datetime]


class LinkPermitUpdate(Payload):
    allowed: bool
