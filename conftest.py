"""For all tests: a timing never fails one, and none changes the process for those that come after it."""

import logging
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from hypothesis import HealthCheck, settings

settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

_OF_PYTEST = {"PYTEST_CURRENT_TEST"}
_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)


@pytest.fixture(autouse=True)
def process_stays_as_it_is() -> Iterator[None]:
    """What a test does to the whole process it must undo: otherwise others pass or fail by their order."""
    before = _state_of_process()
    yield
    after = _state_of_process()
    changed = {what: (before[what], after[what]) for what in before if before[what] != after[what]}
    if changed:
        pytest.fail(f"the test leaves behind: {changed}")


def _state_of_process() -> dict[str, Any]:
    return {
        "environment": {name: value for name, value in os.environ.items() if name not in _OF_PYTEST},
        "folder": Path.cwd(),
        "search path": list(sys.path),
        "signals": [signal.getsignal(number) for number in _SIGNALS],
        "CPUs": os.sched_getaffinity(0),
        "network": Path("/proc/self/ns/net").stat().st_ino,
        "level of logs": logging.getLogger().level,
        "structlog": structlog.get_config(),
    }
