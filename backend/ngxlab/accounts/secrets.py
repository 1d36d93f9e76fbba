"""Passwords and tokens: how they are made, stored and compared."""

import base64
import hashlib
import hmac
import secrets

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError
from argon2.low_level import ARGON2_VERSION

_hasher = PasswordHasher()


def _random_base64(size: int) -> str:
    return base64.b64encode(secrets.token_bytes(size)).decode().rstrip("=")


_UNKNOWN_ACCOUNT_HASH = (
    f"$argon2id$v={ARGON2_VERSION}$m={_hasher.memory_cost},t={_hasher.time_cost},p={_hasher.parallelism}"
    f"${_random_base64(_hasher.salt_len)}${_random_base64(_hasher.hash_len)}"
)
"""In the form of a hash of a password, which costs as much to verify; no password has it."""


SESSION_PREFIX = "ngxs_"
API_TOKEN_PREFIX = "ngxt_"  # noqa: S105 (a prefix, no secret)
HOST_PREFIX = "ngxh_"
ENROLMENT_PREFIX = "ngxe_"
DEVICE_PREFIX = "ngxd_"


def hash_password(password: str) -> str:
    """Argon2id with the library's current parameters."""
    return _hasher.hash(password)


def password_matches(stored_hash: str | None, password: str) -> bool:
    """Takes the same time for an unknown account (``None``), so that timing does not reveal which accounts exist."""
    try:
        _hasher.verify(stored_hash or _UNKNOWN_ACCOUNT_HASH, password)
    except (VerifyMismatchError, InvalidHashError):
        return False
    return stored_hash is not None


def new_password() -> str:
    """A first password, easy to copy from a terminal."""
    return "-".join(secrets.token_hex(3) for _ in range(4))


def new_token(prefix: str) -> str:
    """256 random bits after a prefix that names the kind of token (secret scanners look for it)."""
    return prefix + secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """Tokens are random, so a plain digest is safe, and the database can look them up by it."""
    return hashlib.sha256(token.encode()).hexdigest()


def same(one: str, other: str) -> bool:
    """Compare secrets in constant time."""
    return hmac.compare_digest(one.encode(), other.encode())
