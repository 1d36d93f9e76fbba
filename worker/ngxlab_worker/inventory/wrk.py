"""The wrk of this host."""

import re

from ngxlab_contracts.hosts import WrkBinary

from ngxlab_worker.inventory.programs import ProgramError, ask, existing, on_path, sha256


def parse_version(text: str) -> str:
    """E.g. ``debian/4.1.0-3+b2``, from what ``wrk -v`` prints before it exits with 1. Raises ``ProgramError``."""
    found = re.match(r"wrk (\S+) \[\w+\]", text)
    if found is None:
        raise ProgramError("its -v names no version of wrk")
    return found[1]


def find() -> tuple[WrkBinary | None, str]:
    """The wrk that PATH finds, or ``None``; and a sentence about it."""
    for path in existing(on_path("wrk")):
        try:
            wrk = WrkBinary(path=path, version=parse_version(ask(path, "-v")), sha256=sha256(path))
        except ProgramError as error:
            return None, f"{path}: {error}"
        return wrk, f"wrk {wrk.version} at {path}"
    return None, "no wrk on PATH: install the package wrk"
