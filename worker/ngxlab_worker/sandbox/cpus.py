"""CPU lists in the kernel's format (cpuset(7), "List format"), e.g. ``0-1,4``."""

import os


class CpusUnavailableError(ValueError):
    """A list names no CPU, or one that this process may not use."""


def parse_cpus(text: str) -> set[int]:
    """The CPUs of a list. Raises ``ValueError`` where it is none."""
    found: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        found |= set(range(int(first), int(last if dash else first) + 1))
    return found


def require_cpus(text: str | None) -> None:
    """Raises ``CpusUnavailableError`` unless all CPUs of the list can be used here: the kernel would drop the others
    without a word."""
    if text is None:
        return
    try:
        wanted = parse_cpus(text)
    except ValueError:
        raise CpusUnavailableError(f"{text!r} is no list of CPUs") from None
    missing = sorted(wanted - os.sched_getaffinity(0))
    if missing or not wanted:
        raise CpusUnavailableError(f"CPUs {text!r}: this host does not have {missing or 'any of them'}")
