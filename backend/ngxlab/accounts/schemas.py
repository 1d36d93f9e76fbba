"""Payloads of accounts."""

import re
from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ngxlab.accounts.models import Role
from ngxlab.core.payload import Choice, OneLine, Payload

_ADDRESS = re.compile(r"[^\s@<>()\[\]\\,;:\"]+@[^\s@<>()\[\]\\,;:\"/]+")


def _email(value: str) -> str:
    name, _, domain = value.lower().partition("@")
    if not _ADDRESS.fullmatch(f"{name}@{domain}"):
        raise ValueError("must look like name@domain")
    return f"{name}@{domain}"


Email = Annotated[OneLine, Field(max_length=200), AfterValidator(_email)]
Password = Annotated[str, Field(min_length=10, max_length=200)]


class LoginRequest(Payload):
    email: Email
    password: Annotated[str, Field(max_length=200)]


class PasswordChange(Payload):
    current_password: Annotated[str, Field(max_length=200)]
    new_password: Password


class AccountOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: UUID
    email: str
    role: Role
    created_at: datetime
    disabled_at: datetime | None


class Me(BaseModel):
    """Who is signed in. Unsafe methods need ``csrf_token`` in the header ``X-CSRF-Token``."""

    account: AccountOut
    csrf_token: str


class AccountCreate(Payload):
    email: Email
    role: Choice[Role]
    password: Password | None = None


class AccountCreated(BaseModel):
    """``password`` is present once, when the server made it."""

    account: AccountOut
    password: str | None


class AccountUpdate(Payload):
    role: Choice[Role] | None = None
    disabled: bool | None = None


class TokenCreate(Payload):
    name: Annotated[OneLine, Field(min_length=1, max_length=100)]
    expires_in_days: Annotated[int, Field(ge=1, le=3650)] | None = None


class TokenOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: UUID
    name: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None


class TokenCreated(TokenOut):
    """``token`` is shown this once; only its hash is kept."""

    token: str
