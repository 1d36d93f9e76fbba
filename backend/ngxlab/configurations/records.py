"""What becomes of each line of somebody's configuration, and why."""

from dataclasses import dataclass, field
from typing import Literal

from ngxlab_contracts.sentences import Sentence

Action = Literal["kept", "replaced", "dropped"]

MASKED = "********"
"""What stands in the place of a secret, which is taken out before a configuration is sent."""


@dataclass(eq=False)
class Record:
    """``line`` counts from 1 in ``file``. ``becomes``: the lines that stand in its place in the experiment."""

    file: str
    line: int
    text: str
    action: Action = "kept"
    reason: Sentence | None = None
    becomes: list[str] = field(default_factory=list)

    def replace(self, reason: Sentence) -> None:
        """Keeps an earlier reason to drop it."""
        if self.action != "dropped":
            self.action, self.reason = "replaced", reason

    def drop(self, reason: Sentence) -> None:
        self.action, self.reason = "dropped", reason
