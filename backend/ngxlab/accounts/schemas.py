"""Payloads of accounts."""

import unicodedata
from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

import email_validator
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ngxlab.accounts.models import Account, ApiToken, Language, LoginSession, Role, TokenScope
from ngxlab.accounts.passwords import NewPassword, TypedPassword
from ngxlab.core.paging import Page
from ngxlab.core.payload import Choice, Id, OneLine, Payload

_MAX_LENGTH = 200

for _internal in ("localhost", "local"):  # an installation's own network has such addresses
    if _internal in email_validator.SPECIAL_USE_DOMAIN_NAMES:
        email_validator.SPECIAL_USE_DOMAIN_NAMES.remove(_internal)


def _checked(value: str) -> str:
    try:
        found = email_validator.validate_email(
            value.strip(), check_deliverability=False, globally_deliverable=False, allow_smtputf8=False
        )
    except email_validator.EmailNotValidError as error:
        raise ValueError(f"This is no e-mail address. {error}") from error
    return f"{found.local_part}@{found.ascii_domain}".lower()


def _as_stored(value: str) -> str:
    """An address typed at sign-in. Accounts from before addresses were checked keep what they have."""
    try:
        return _checked(value)
    except ValueError:
        if not value.strip().isprintable():
            raise
        return unicodedata.normalize("NFC", value.strip()).lower()


Email = Annotated[str, Field(max_length=_MAX_LENGTH), AfterValidator(_checked)]
"""The sound address of a new account, in the one spelling in which it is stored: in ASCII only, in which no letter
looks like another. Other letters of a domain are written as its name servers have them (``xn--…``)."""
TypedEmail = Annotated[str, Field(max_length=_MAX_LENGTH), AfterValidator(_as_stored)]


MAX_TOKEN_DAYS = 365


_Base64Url = Annotated[str, Field(min_length=1, max_length=16_384, pattern="^[A-Za-z0-9_-]+$")]
"""Bytes as WebAuthn has them in JSON."""


class PasskeyAnswer(Payload):
    """What a person's device signed (an assertion of WebAuthn), each part as base64url without padding."""

    credential_id: _Base64Url
    client_data: _Base64Url
    authenticator_data: _Base64Url
    signature: _Base64Url


class LoginRequest(Payload):
    """``passkey``: the answer to the question with which a right password alone is refused."""

    email: TypedEmail
    password: TypedPassword
    passkey: PasskeyAnswer | None = None


class PasskeyConfirmation(Payload):
    """``passkey``: the answer to ``POST /auth/passkeys/confirmation``."""

    passkey: PasskeyAnswer


class PasskeyBegin(Payload):
    """``password``: the account's, where it has one and no passkey yet: whoever took a session cannot lock its person
    out by adding the first.
    """

    password: TypedPassword | None = None


class PasskeyCreate(Payload):
    """What a person's device made for ``POST /auth/passkeys/registration``; bytes as base64url without padding."""

    name: Annotated[OneLine, Field(min_length=1, max_length=100)]
    client_data: _Base64Url
    attestation_object: _Base64Url


class PasskeyOptions(BaseModel):
    """``options``: what ``navigator.credentials`` is asked, as ``PublicKeyCredential.parseCreationOptionsFromJSON`` or
    ``parseRequestOptionsFromJSON`` reads it.
    """

    options: dict[str, Any]


class PasskeyOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: UUID
    name: str
    created_at: datetime
    last_used_at: datetime | None


class OwnPasskeys(Page[PasskeyOut]):
    """``unavailable``: why browsers have no passkeys for this installation's address: it has an IP address for a name,
    or no https; null where they have. ``origin``: the only address at which they work.
    """

    unavailable: Literal["address", "insecure"] | None
    origin: str


class PasswordChange(Payload):
    current_password: TypedPassword
    new_password: NewPassword


class AccountOut(BaseModel):
    """``must_change_password``: the account still has a one-time password, which opens nothing but its replacement.

    ``has_password``: false for somebody who signs in at the provider only.
    """

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    email: str
    role: Role
    created_at: datetime
    disabled_at: datetime | None
    has_password: bool
    must_change_password: bool


class SessionOut(BaseModel):
    """A browser's session. ``address`` and ``user_agent``: of the sign-in; ``null`` where they are not known."""

    id: UUID
    created_at: datetime
    last_used_at: datetime
    expires_at: datetime
    address: str | None
    user_agent: str | None
    is_current: bool

    @classmethod
    def of(cls, login: LoginSession, *, is_current: bool) -> Self:
        return cls(
            id=login.id,
            created_at=login.created_at,
            last_used_at=login.last_used_at,
            expires_at=login.expires_at,
            address=login.address,
            user_agent=login.user_agent,
            is_current=is_current,
        )


class TokenCreate(Payload):
    """A token's rights are those of its owner, up to its scope's."""

    name: Annotated[OneLine, Field(min_length=1, max_length=100)]
    scope: Choice[TokenScope]
    expires_in_days: Annotated[int, Field(ge=1, le=MAX_TOKEN_DAYS)] = 30


class TokenOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: UUID
    name: str
    scope: TokenScope
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None


class TokenCreated(TokenOut):
    """``token`` is shown this once; only its hash is kept."""

    token: str


class Me(BaseModel):
    """Who is signed in. Unsafe methods need ``csrf_token`` in the header ``X-CSRF-Token``.

    ``token``: the API token of a call with one, which needs no CSRF token. ``language``: that of the pages, if chosen.
    ``must_add_passkey``: the installation demands a passkey, without which nothing else is open.
    """

    account: AccountOut
    csrf_token: str
    token: TokenOut | None = None
    language: Language | None = None
    must_add_passkey: bool = False

    @classmethod
    def of(
        cls, account: Account, csrf_token: str, token: ApiToken | None = None, *, must_add_passkey: bool = False
    ) -> Self:
        return cls(
            account=AccountOut.model_validate(account),
            csrf_token=csrf_token,
            token=TokenOut.model_validate(token) if token else None,
            language=Language(account.language) if account.language else None,
            must_add_passkey=must_add_passkey,
        )


class LanguageChoice(Payload):
    """The language of the pages, for all browsers in which nothing else is chosen."""

    language: Choice[Language]


class AccountCreate(Payload):
    email: Email
    role: Choice[Role]


class AccountUpdate(Payload):
    role: Choice[Role] | None = None
    disabled: bool | None = None


class OneTimePassword(BaseModel):
    """A password that is shown this once, lasts until ``expires_at`` and must be replaced after signing in with it."""

    account: AccountOut
    password: str
    expires_at: datetime


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


_TeamName = Annotated[OneLine, Field(min_length=1, max_length=80)]
_Members = Annotated[list[Id], Field(max_length=1000, description="accounts")]


class TeamCreate(Payload):
    name: _TeamName
    members: _Members = []


class TeamUpdate(Payload):
    """What is missing stays. ``members``: all who are in it afterwards."""

    name: _TeamName | None = None
    members: _Members | None = None


class TeamName(BaseModel):
    """A team, as what belongs to it shows it."""

    model_config = ConfigDict(from_attributes=True)

    id: UUID
    name: str


class TeamMemberOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: UUID
    email: str


class TeamOut(TeamName):
    members: list[TeamMemberOut]
