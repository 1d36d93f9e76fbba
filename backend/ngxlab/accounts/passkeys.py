"""Passkeys (WebAuthn Level 3): a key in a person's device as their second factor, which no other site can ask for.

What a device signs is a challenge that is stored, taken once within five minutes, and holds for one account and one
purpose. Attestation is not asked for: any device will do.
"""

import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from fido2.server import Fido2Server
from fido2.utils import websafe_decode, websafe_encode
from fido2.webauthn import (
    AttestationConveyancePreference,
    AttestationObject,
    AttestedCredentialData,
    AuthenticationResponse,
    AuthenticatorAssertionResponse,
    AuthenticatorAttestationResponse,
    AuthenticatorData,
    CollectedClientData,
    PublicKeyCredentialDescriptor,
    PublicKeyCredentialRpEntity,
    PublicKeyCredentialType,
    PublicKeyCredentialUserEntity,
    RegistrationResponse,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from ngxlab.accounts import repository
from ngxlab.accounts.models import Account, Passkey, PasskeyChallenge
from ngxlab.accounts.schemas import PasskeyAnswer, PasskeyCreate
from ngxlab.audit.acts import Act
from ngxlab.audit.record import Actor, Object, record
from ngxlab.core.clock import utcnow
from ngxlab.core.config import Settings
from ngxlab.core.database import settle
from ngxlab.core.errors import Conflict, NotFound

_VALID = timedelta(minutes=5)
_ALGORITHMS = frozenset({-7, -8, -257})
"""ES256, EdDSA, RS256: every device has one of them. Source: IANA COSE Algorithms."""
MOST = 20
"""Passkeys of one account: browsers are told all of them at each sign-in."""

_UNFIT = "The passkey’s answer does not fit what was asked, or came too late. Try again."
_COPIED = (
    "The passkey’s counter went back, as that of a copy does. If you cannot explain that, have an administrator remove "
    "the passkey, and add it anew."
)


class Purpose(StrEnum):
    """What a challenge is for."""

    registration = "registration"
    sign_in = "sign-in"
    confirmation = "confirmation"


class PasskeyRefused(Exception):
    """A device's answer that proves nothing. The message is for its person, the code also for the audit log."""

    def __init__(self, message: str = _UNFIT, code: str = "passkey-refused") -> None:
        super().__init__(message)
        self.code = code


def _server(settings: Settings) -> Fido2Server:
    origin, entity = settings.public_origin, PublicKeyCredentialRpEntity(name="ngxlab", id=settings.public_host)
    server = Fido2Server(entity, AttestationConveyancePreference.NONE, verify_origin=lambda told: told == origin)
    server.allowed_algorithms = [one for one in server.allowed_algorithms if one.alg in _ALGORITHMS]
    return server


def _descriptors(keys: Iterable[Passkey]) -> list[PublicKeyCredentialDescriptor]:
    kind = PublicKeyCredentialType.PUBLIC_KEY
    return [PublicKeyCredentialDescriptor(type=kind, id=key.credential_id) for key in keys]


async def _new_challenge(session: AsyncSession, account_id: UUID, purpose: Purpose) -> bytes:
    now, challenge = utcnow(), secrets.token_bytes(32)
    new = PasskeyChallenge(
        challenge=websafe_encode(challenge), account_id=account_id, purpose=purpose, expires_at=now + _VALID
    )
    await repository.add_challenge(session, new, now)
    return challenge


async def _take_challenge(
    session: AsyncSession, account_id: UUID, purpose: Purpose, data: CollectedClientData
) -> dict[str, Any]:
    """What the library compares the answer with. The challenge is used up, whatever becomes of the answer."""
    challenge = websafe_encode(data.challenge)
    taken = await repository.take_challenge(session, challenge, account_id, purpose, utcnow())
    await settle(session)
    if not taken:
        raise PasskeyRefused
    return {"challenge": challenge, "user_verification": UserVerificationRequirement.PREFERRED}


@contextmanager
def _from_outside() -> Iterator[None]:
    """What a stranger's bytes make of the library is a refusal: it raises whatever its parsers do."""
    try:
        yield
    except Exception as error:
        raise PasskeyRefused from error


async def ask_to_register(session: AsyncSession, settings: Settings, account: Account) -> dict[str, Any]:
    """What ``navigator.credentials.create()`` is given, as JSON. Raises Conflict where passkeys cannot be."""
    if settings.passkey_obstacle is not None:
        raise Conflict(
            "Browsers have no passkeys for {address}.", address=settings.public_url, code="passkeys-unavailable"
        )
    keys = await repository.passkeys_of(session, account.id)
    if len(keys) >= MOST:
        raise Conflict("You have {most} passkeys. Remove one first.", most=MOST, code="too-many-passkeys")
    options, _ = _server(settings).register_begin(
        PublicKeyCredentialUserEntity(id=account.id.bytes, name=account.email, display_name=account.email),
        _descriptors(keys),
        ResidentKeyRequirement.PREFERRED,
        UserVerificationRequirement.PREFERRED,
        challenge=await _new_challenge(session, account.id, Purpose.registration),
    )
    return dict(options.public_key)


async def register(session: AsyncSession, settings: Settings, account: Account, made: PasskeyCreate) -> Passkey:
    """Raises PasskeyRefused, and Conflict for a passkey that somebody has already."""
    with _from_outside():
        client = CollectedClientData(websafe_decode(made.client_data))
        attested = AttestationObject(websafe_decode(made.attestation_object))
    state = await _take_challenge(session, account.id, Purpose.registration, client)
    with _from_outside():
        response = AuthenticatorAttestationResponse(client_data=client, attestation_object=attested)
        credential = attested.auth_data.credential_data
        if credential is None or credential.public_key[3] not in _ALGORITHMS:
            raise PasskeyRefused
        registration = RegistrationResponse(raw_id=credential.credential_id, response=response)
        data = _server(settings).register_complete(state, registration)
    key = Passkey(
        account_id=account.id,
        credential_id=credential.credential_id,
        credential=bytes(credential),
        sign_count=data.counter,
        name=made.name,
        created_at=utcnow(),
    )
    session.add(key)
    try:
        await session.flush()
    except IntegrityError as error:
        raise Conflict("This passkey is in use already.", code="passkey-taken") from error
    return key


async def ask(session: AsyncSession, settings: Settings, account_id: UUID, purpose: Purpose) -> dict[str, Any] | None:
    """What ``navigator.credentials.get()`` is given, as JSON; None where the account has no passkey."""
    keys = await repository.passkeys_of(session, account_id)
    if not keys:
        return None
    challenge = await _new_challenge(session, account_id, purpose)
    preferred = UserVerificationRequirement.PREFERRED
    options, _ = _server(settings).authenticate_begin(_descriptors(keys), preferred, challenge)
    return dict(options.public_key)


async def prove(
    session: AsyncSession, settings: Settings, account_id: UUID, purpose: Purpose, answer: PasskeyAnswer
) -> None:
    """Whoever answers has one of the account's passkeys, here and now. Raises PasskeyRefused."""
    with _from_outside():
        client = CollectedClientData(websafe_decode(answer.client_data))
        data = AuthenticatorData(websafe_decode(answer.authenticator_data))
        credential_id, signature = websafe_decode(answer.credential_id), websafe_decode(answer.signature)
    state = await _take_challenge(session, account_id, purpose, client)
    key = await repository.locked_passkey(session, account_id, credential_id)
    if key is None:
        raise PasskeyRefused
    with _from_outside():
        signed = AuthenticatorAssertionResponse(client_data=client, authenticator_data=data, signature=signature)
        response = AuthenticationResponse(raw_id=credential_id, response=signed)
        _server(settings).authenticate_complete(state, [AttestedCredentialData(key.credential)], response)
    if data.counter <= key.sign_count and (data.counter or key.sign_count):
        raise PasskeyRefused(_COPIED, "passkey-copied")
    key.sign_count, key.last_used_at = data.counter, utcnow()


async def remove(session: AsyncSession, account_id: UUID, passkey_id: UUID) -> Passkey:
    """Raises NotFound where the account has no such passkey."""
    key = await session.get(Passkey, passkey_id)
    if key is None or key.account_id != account_id:
        raise NotFound("There is no such passkey.")
    await session.delete(key)
    return key


async def remove_all(session: AsyncSession, by: Actor, account: Account) -> int:
    """Somebody has lost their devices: how many passkeys they had."""
    names = await repository.delete_passkeys_of(session, account.id)
    on = Object("account", account.id, account.email)
    for name in names:
        await record(session, by, Act.passkey_removed, on, name=name)
    return len(names)
