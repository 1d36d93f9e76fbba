"""Questions of the same kind that arrive at the same time share one statement.

At most one statement is under way, and questions that come meanwhile are in the next. A single question is answered as
soon as otherwise, and the more there are, the less each costs. None of them waits for a connection of its own.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

_Question = TypeVar("_Question")
_Answer = TypeVar("_Answer")


class Coalesced(Generic[_Question, _Answer]):
    """``answer`` gets at most ``most`` questions at once, and answers them in their order."""

    def __init__(
        self, answer: Callable[[Sequence[_Question]], Awaitable[Sequence[_Answer]]], *, most: int = 250
    ) -> None:
        self._answer, self._most = answer, most
        self._waiting: deque[tuple[_Question, asyncio.Future[_Answer]]] = deque()
        self._answering: asyncio.Task[None] | None = None

    async def ask(self, question: _Question) -> _Answer:
        """The answer. Raises what ``answer`` raises."""
        future: asyncio.Future[_Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append((question, future))
        if self._answering is None or self._answering.done():
            self._answering = asyncio.create_task(self._answer_all())
        return await future

    async def _answer_all(self) -> None:
        while self._waiting:
            asked = [self._waiting.popleft() for _ in range(min(self._most, len(self._waiting)))]
            asked = [(question, future) for question, future in asked if not future.done()]
            try:
                answers = await self._answer([question for question, _ in asked]) if asked else []
            except Exception as error:  # noqa: BLE001  raised where it was asked
                for _, future in asked:
                    if not future.done():
                        future.set_exception(error)
            else:
                for (_, future), answer in zip(asked, answers, strict=True):
                    if not future.done():
                        future.set_result(answer)
