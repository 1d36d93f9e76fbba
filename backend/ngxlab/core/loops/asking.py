"""One question to the database for several loops: whether there is anything to do.

Each asked for itself, this was most of what the backend did at rest.
"""

from collections.abc import Sequence

from sqlalchemy import TIMESTAMP, ColumnElement, bindparam, select

from ngxlab.core.clock import utcnow
from ngxlab.core.database import Database
from ngxlab.core.loops.loop import Loop

NOW = bindparam("now", type_=TIMESTAMP(timezone=True))
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

    async def ask(self) -> Sequence[bool]:
        """The answers to the own questions."""
        answers = (await self._database.alone(self._statement, {NOW.key: utcnow()}))[0]
        for loop, answer in zip(self._loops, answers[self._own :], strict=True):
            loop.tell(anything_to_do=answer)
        return answers[: self._own]
