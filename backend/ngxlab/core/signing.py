"""Who wrote an archive: its manifest, which has the sums of all files, is signed with the key of the installation.

The key (Ed25519, RFC 8032) is made when it is first needed. It lies in the database, and so in its backups.
"""

import hashlib
import json
from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from pydantic import Base64Bytes, BaseModel, ConfigDict
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from ngxlab.core.database import Base


class SigningKey(Base):
    """At most one row. ``private``: the 32 bytes of an Ed25519 key."""

    __tablename__ = "signing_key"

    only_one: Mapped[bool] = mapped_column(primary_key=True, default=True)
    private: Mapped[bytes]


class Signature(BaseModel):
    """``key``: the public one, 32 bytes."""

    model_config = ConfigDict(extra="forbid")

    key: Base64Bytes
    signature: Base64Bytes


async def own_key(session: AsyncSession) -> Ed25519PrivateKey:
    """This installation's key, made now if there is none."""
    made = insert(SigningKey).values(only_one=True, private=Ed25519PrivateKey.generate().private_bytes_raw())
    await session.execute(made.on_conflict_do_nothing())
    return Ed25519PrivateKey.from_private_bytes(await session.scalar(select(SigningKey.private)) or b"")


def signature(key: Ed25519PrivateKey, manifest: Mapping[str, Any]) -> dict[str, str]:
    """What stands in the manifest as ``signature``; ``manifest``: all else that stands there."""
    public = key.public_key().public_bytes_raw()
    made = {"key": public, "signature": key.sign(_text(manifest))}
    return {name: b64encode(value).decode() for name, value in made.items()}


def is_sound(given: Signature, manifest: Mapping[str, Any]) -> bool:
    """Whether this key has signed this manifest."""
    try:
        Ed25519PublicKey.from_public_bytes(given.key).verify(given.signature, _text(manifest))
    except (InvalidSignature, ValueError):
        return False
    return True


def fingerprint(public: bytes) -> str:
    """For people to compare: 16 hexadecimal digits of the key's SHA-256, in fours."""
    digits = hashlib.sha256(public).hexdigest()[:16]
    return " ".join(digits[start : start + 4] for start in range(0, 16, 4))


def _text(manifest: Mapping[str, Any]) -> bytes:
    bare = {name: value for name, value in manifest.items() if name != "signature"}
    return json.dumps(bare, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()
