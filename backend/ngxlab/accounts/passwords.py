"""Passwords: which are strong enough, and hashing them aside from the event loop.

What is refused follows NIST SP 800-63B, 5.1.1.2: no rules on kinds of characters, but what is common, repeated,
sequential or taken from the person or the product. zxcvbn estimates how many guesses that takes.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Annotated, TypeVar

from ngxlab_contracts.sentences import Sentence, fixed, listed, say
from pydantic import Field
from zxcvbn import zxcvbn

from ngxlab.accounts import secrets
from ngxlab.core.errors import invalid

MIN_LENGTH, MAX_LENGTH = 10, 128
NewPassword = Annotated[str, Field(min_length=MIN_LENGTH, max_length=MAX_LENGTH)]
TypedPassword = Annotated[str, Field(max_length=200)]
"""Longer than new ones may be: older passwords still sign in."""

_ESTIMATED_LENGTH = 72
"""The estimate takes time that grows faster than the length; a weak beginning is reason enough to refuse."""
_STRONG_ENOUGH = 3
"""zxcvbn's "safely unguessable": more than 10^8 guesses."""
_CONTEXT = ["ngxlab", "nginx", "wrk"]

_threads = ThreadPoolExecutor(max_workers=2, thread_name_prefix="passwords")
"""Two at a time, 64 MiB each: whoever sends many passwords waits, and nothing else does."""
_Result = TypeVar("_Result")


async def hashed(password: str) -> str:
    """Argon2id."""
    return await _aside(partial(secrets.hash_password, password))


async def matches(stored_hash: str | None, password: str) -> bool:
    """Takes the same time for an unknown account (``None``)."""
    return await _aside(partial(secrets.password_matches, stored_hash, password))


async def require_strong(password: str, email: str, field: str) -> None:
    """Raises Invalid, at ``field``, for a password that is easy to guess."""
    if problem := await _aside(partial(weakness, password, email)):
        raise invalid(field, problem, code="weak-password")


def weakness(password: str, email: str) -> Sentence | None:
    """Why the password is too easy to guess and what to do, in a sentence or two; ``None`` for a good one."""
    name, _, domain = email.partition("@")
    estimate = zxcvbn(password[:_ESTIMATED_LENGTH], user_inputs=[*_CONTEXT, email, name, *domain.split(".")])
    if estimate["score"] >= _STRONG_ENOUGH:
        return None
    feedback = estimate["feedback"]
    why = fixed(feedback["warning"]) if feedback["warning"] else say("This is too easy to guess.")
    return listed([why, *map(fixed, feedback["suggestions"][:1])], " ")


async def _aside(work: Callable[[], _Result]) -> _Result:
    return await asyncio.get_running_loop().run_in_executor(_threads, work)
