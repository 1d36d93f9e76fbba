"""A file as an answer."""

import asyncio
from collections.abc import AsyncGenerator

from anyio import CancelScope
from fastapi.responses import StreamingResponse
from starlette.types import Send

from ngxlab.exports.formats import MEDIA_TYPES, ExportName
from ngxlab.exports.service import Export

LONGEST_S = 600.0
"""Who has not read a file by then reads too slowly: others wait for the place."""


def file_answer(name: ExportName, made: Export) -> StreamingResponse:
    """A file that breaks off is no whole answer, so that no half of one is taken for it."""
    headers = {"Content-Disposition": f'attachment; filename="{made.name.file(name)}"'}
    return _InTime(made.pieces, media_type=MEDIA_TYPES[name], headers=headers)


class _InTime(StreamingResponse):
    """Ends in time even if its reader takes nothing. What it is made from is closed then, and when its reader goes."""

    body_iterator: AsyncGenerator[bytes]

    async def stream_response(self, send: Send) -> None:
        try:
            async with asyncio.timeout(LONGEST_S):
                await super().stream_response(send)
        finally:
            with CancelScope(shield=True):  # what is closed may have a transaction to end
                await self.body_iterator.aclose()
