"""CPU lists in the kernel's format (cpuset(7), "List format"), e.g. ``0-1,4``."""

import os


class CpusUnavailableError(ValueError):
    """A list names no CPU, or a CPU that this process may not use."""


def parse_cpus(text: str) -> set[int]:
    """The CPUs of a list. Raises ``ValueError`` where ``text`` is not a list."""
    cpus: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        cpus |= set(range(int(first), int(last if dash else first) + 1))
    return cpus


def require_cpus(text: str | None) -> None:
    """Raises ``CpusUnavailableError`` unless the agent may use all CPUs of the list: the kernel ignores the others."""
    if text is None:
        return
    try:
        wanted = parse_cpus(text)
    except ValueError:
        raise CpusUnavailableError(f"{text!r} is not a list of CPUs such as 0-1,4") from None
    missing = sorted(wanted - os.sched_getaffinity(0))
    if missing or not wanted:
        raise CpusUnavailableError(f"CPUs {text!r}: the agent may not use {missing or 'any of them'} on this host")
