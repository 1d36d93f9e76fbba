"""Parsers of /proc/PID."""

from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ngxlab_worker.collectors import ParseError
from ngxlab_worker.collectors.process import (
    ProcessIo,
    ProcessStat,
    RunTime,
    parse_io,
    parse_schedstat,
    parse_stat,
    parse_state,
)
from ngxlab_worker.collectors.procfile import PAGE_BYTES

Golden = Callable[[str], bytes]
PARSERS: list[Callable[[bytes], object]] = [parse_stat, parse_state, parse_schedstat, parse_io]


def test_stat_of_an_nginx_worker(golden: Golden) -> None:
    stat = parse_stat(golden("linux-6.18/nginx_worker_stat"))
    assert stat == ProcessStat("R", user_s=0.13, system_s=0.89, threads=1, resident_bytes=612 * PAGE_BYTES)


def test_stat_of_wrk_counts_its_threads(golden: Golden) -> None:
    stat = parse_stat(golden("linux-6.18/wrk_stat"))
    assert (stat.state, stat.threads) == ("S", 3)
    assert parse_state(golden("linux-6.18/wrk_thread_stat")) == "R"


def test_a_name_may_hold_spaces_and_parentheses(golden: Golden) -> None:
    data = golden("awkward/stat_comm_with_parentheses")
    assert parse_stat(data) == ProcessStat("S", user_s=0.07, system_s=0.03, threads=2, resident_bytes=1681 * PAGE_BYTES)
    assert parse_state(data) == "S"


def test_schedstat_of_wrks_main_thread_is_not_that_of_the_process(golden: Golden) -> None:
    assert parse_schedstat(golden("linux-6.18/wrk_schedstat")) == RunTime(0.004865648, 0.000239698)
    assert parse_schedstat(golden("linux-6.18/wrk_thread_schedstat")) == RunTime(0.676006951, 0.145830243)


def test_io(golden: Golden) -> None:
    assert parse_io(golden("linux-6.18/nginx_worker_io")) == ProcessIo(0, 0, read_syscalls=0, write_syscalls=111_778)


@pytest.mark.parametrize("parse", PARSERS)
@given(data=st.binary(max_size=300))
def test_anything_is_a_parse_error_or_a_value(parse: Callable[[bytes], object], data: bytes) -> None:
    with suppress(ParseError):
        parse(data)


@pytest.mark.parametrize("parse", PARSERS)
def test_an_empty_file_is_an_error(parse: Callable[[bytes], object]) -> None:
    with pytest.raises(ParseError):
        parse(b"")
