"""The kernel's lists of CPUs."""

import os

import pytest
from ngxlab_worker.sandbox import CpusUnavailableError, parse_cpus, require_cpus


@pytest.mark.parametrize(("text", "cpus"), [("0", {0}), ("0-3", {0, 1, 2, 3}), ("1,4-5,9", {1, 4, 5, 9})])
def test_lists(text: str, cpus: set[int]) -> None:
    assert parse_cpus(text) == cpus


@pytest.mark.parametrize("text", ["", "a", "1-", "3-1", "100000", "0-100000", "-1"])
def test_what_is_no_list_or_not_here_is_refused(text: str) -> None:
    with pytest.raises(CpusUnavailableError):
        require_cpus(text)


def test_what_is_here_is_accepted() -> None:
    require_cpus(None)
    require_cpus(",".join(map(str, os.sched_getaffinity(0))))
