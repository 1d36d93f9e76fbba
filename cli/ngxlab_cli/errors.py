"""What can go wrong for a person at the command line, each with its exit code.

ClientError
├── UsageError            4  a mistake in the arguments, or the server refuses the request, field by field
└── UnreachableError      6  no server, or no usable answer from it
    └── NotSignedInError  6  no token, or an invalid one
"""

from collections.abc import Sequence
from enum import IntEnum

from ngxlab_cli.models import DefinitionProblem


class Exit(IntEnum):
    """Exit codes of all commands. Up to ``NOT_VALID`` they say what a completed run showed; ``NOT_COMPARED``
    is of ``ngxlab ci`` where nothing was run; the others are errors."""

    OK = 0
    THRESHOLD_FAILED = 1
    UNDECIDED = 2
    NOT_VALID = 3
    USAGE = 4
    RUN_FAILED = 5
    UNREACHABLE = 6
    NOT_COMPARED = 7


class ClientError(Exception):
    exit = Exit.USAGE

    def __init__(self, message: str, problems: Sequence[DefinitionProblem] = (), code: str | None = None) -> None:
        """``code``: the server's, where it has refused something."""
        super().__init__(message)
        self.problems = list(problems)
        self.code = code


class UsageError(ClientError):
    """Repeating the command changes nothing; another command or another file may."""


class UnreachableError(ClientError):
    """The same command may succeed later."""

    exit = Exit.UNREACHABLE


class NotSignedInError(UnreachableError):
    """The server does not accept the caller's token, or there is none."""
