"""One question to the database for several loops: whether there is anything to do.

Each asked for itself, this was most of what the backend did at rest.
"""

from collections.abc import Sequence
from functools import cached_property

from sqlalchemy import TIMESTAMP, ColumnElement, bindparam, select

from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database, Prepared
from ngxlab.core.loops.loop import Loop

NOW = bindparam("now", None, TIMESTAMP(timezone=True))
"""In a question: when it is asked."""


class Asker:
    """``own``: the questions of whoever asks, who is given their answers."""

    def __init__(self, database: Database, own: Sequence[ColumnElement[bool]]) -> None:
        self._database = database
        self._own = len(own)
        self._loops: list[Loop] = []
        self._statement = select(*own)

    def also_for(self, loop: Loop, question: ColumnElement[bool]) -> Loop:
        """Ask ``question`` as well, and tell ``loop`` the answer each time."""
        self._loops.append(loop)
        self._statement = self._statement.add_columns(question)
        return loop

    @cached_property
    def _prepared(self) -> Prepared:
        """Once all questions are there."""
        return Prepared(self._statement)

    async def ask(self) -> Sequence[bool]:
        """The answers to the own questions."""
        answers = list((await self._database.ask(self._prepared, {NOW.key: utcnow()}))[0].values())
        for loop, answer in zip(self._loops, answers[self._own :], strict=True):
            loop.tell(anything_to_do=answer)
        return answers[: self._own]
