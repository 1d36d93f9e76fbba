"""Work that would keep the event loop from everything else runs in a thread; little work does not, since the way there
and back costs more than it."""

import asyncio
from collections.abc import Callable
from typing import TypeVar, TypeVarTuple

_LITTLE_BYTES = 64 << 10
"""A batch of five seconds has less; to read it takes a millisecond or two."""

_Arguments = TypeVarTuple("_Arguments")
_Result = TypeVar("_Result")


async def beside(size_bytes: int, work: Callable[[*_Arguments], _Result], *arguments: *_Arguments) -> _Result:
    """``work`` on data of about ``size_bytes``, in a thread where that is much."""
    if size_bytes <= _LITTLE_BYTES:
        return work(*arguments)
    return await asyncio.to_thread(work, *arguments)
