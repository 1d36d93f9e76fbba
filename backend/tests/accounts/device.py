"""A device with passkeys, as WebAuthn describes one: what it signs is made here from the standard, byte by byte."""

import hashlib
import json
import secrets
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2 import cbor

_PRESENT, _VERIFIED, _ATTESTED = 0x01, 0x04, 0x40


def encoded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass
class Device:
    """What differs from the good device of a person at the right page is changed in its fields, or for one answer."""

    origin: str = "https://lab.example.org"
    host: str = "lab.example.org"
    counter: int = 0
    flags: int = _PRESENT | _VERIFIED
    algorithm: int = -7
    keys: dict[bytes, ec.EllipticCurvePrivateKey] = field(default_factory=dict)

    def _client_data(self, kind: str, options: dict[str, Any]) -> bytes:
        told = {"type": kind, "challenge": options["challenge"], "origin": self.origin, "crossOrigin": False}
        return json.dumps(told).encode()

    def _authenticator_data(self, attested: bytes = b"") -> bytes:
        flags = self.flags | (_ATTESTED if attested else 0)
        return hashlib.sha256(self.host.encode()).digest() + struct.pack(">BI", flags, self.counter) + attested

    def make(self, options: dict[str, Any], name: str = "A key") -> dict[str, Any]:
        """A new key, as the body of ``POST /auth/passkeys``."""
        credential_id, key = secrets.token_bytes(32), ec.generate_private_key(ec.SECP256R1())
        self.keys[credential_id] = key
        point = key.public_key().public_numbers()
        cose = {1: 2, 3: self.algorithm, -1: 1, -2: point.x.to_bytes(32, "big"), -3: point.y.to_bytes(32, "big")}
        attested = bytes(16) + struct.pack(">H", len(credential_id)) + credential_id + cbor.encode(cose)
        made = {"fmt": "none", "attStmt": {}, "authData": self._authenticator_data(attested)}
        client_data = self._client_data("webauthn.create", options)
        return {
            "name": name,
            "client_data": encoded(client_data),
            "attestation_object": encoded(cbor.encode(made)),
        }

    def sign(
        self, options: dict[str, Any], *, kind: str = "webauthn.get", credential_id: bytes | None = None
    ) -> dict[str, str]:
        """An answer by the first of its keys; with another ``credential_id``, in the name of somebody else's."""
        own, key = next(iter(self.keys.items()))
        self.counter += 1
        client_data, data = self._client_data(kind, options), self._authenticator_data()
        signature = key.sign(data + hashlib.sha256(client_data).digest(), ec.ECDSA(hashes.SHA256()))
        return {
            "credential_id": encoded(credential_id or own),
            "client_data": encoded(client_data),
            "authenticator_data": encoded(data),
            "signature": encoded(signature),
        }
