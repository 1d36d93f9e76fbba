"""When a schedule is due, across changes of summer time."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from ngxlab.schedules.timing import Timing, in_words
from pydantic import ValidationError

BERLIN = "Europe/Berlin"


def timing(**fields: Any) -> Timing:
    return Timing.model_validate({"repeats": "daily", "time": "02:30", "zone": BERLIN, **fields})


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("fields", "after", "due"),
    [
        ({}, "2030-01-10 00:00", "2030-01-10 01:30"),
        ({}, "2030-01-10 01:30", "2030-01-11 01:30"),
        ({"zone": "Pacific/Kiritimati"}, "2030-01-10 12:00", "2030-01-10 12:30"),
        ({"zone": "America/Los_Angeles"}, "2030-01-10 10:31", "2030-01-11 10:30"),
        # On 31 March 2030 the clock jumps from 02:00 to 03:00, on 27 October it shows 02:30 twice.
        ({}, "2030-03-31 00:00", "2030-03-31 01:30"),
        ({}, "2030-10-27 00:00", "2030-10-27 00:30"),
        ({}, "2030-10-27 00:30", "2030-10-28 01:30"),
        ({"repeats": "weekly", "weekdays": ["mon", "sat"]}, "2030-01-10 00:00", "2030-01-12 01:30"),
        ({"repeats": "weekly", "weekdays": ["thu"]}, "2030-01-10 01:30", "2030-01-17 01:30"),
        ({"repeats": "once", "on": "2031-07-01"}, "2030-01-10 00:00", "2031-07-01 00:30"),
        ({"repeats": "once", "on": "2031-07-01"}, "2031-07-01 00:30", None),
    ],
)
def test_the_next_time(fields: dict[str, Any], after: str, due: str | None) -> None:
    assert timing(**fields).next_after(utc(after)) == (utc(due) if due else None)


def test_there_is_none_after_the_last_day() -> None:
    assert timing().next_after(utc("2030-01-10 00:00"), date(2030, 1, 10)) == utc("2030-01-10 01:30")
    assert timing().next_after(utc("2030-01-10 01:30"), date(2030, 1, 10)) is None


@pytest.mark.parametrize(
    "fields",
    [
        {"time": "24:00"},
        {"time": "2:30"},
        {"zone": "Mars/Olympus"},
        {"zone": "../etc/passwd"},
        {"on": "2030-01-01"},
        {"weekdays": ["mon"]},
        {"repeats": "weekly"},
        {"repeats": "once"},
        {"repeats": "once", "on": 0},
        {"repeats": "once", "on": "9999-12-31"},
        {"repeats": "hourly"},
    ],
)
def test_what_is_no_timing_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        timing(**fields)


def test_it_is_said_in_words() -> None:
    assert in_words(timing()) == "every day at 02:30, Europe/Berlin"
    assert in_words(timing(repeats="weekly", weekdays=["sat", "mon", "fri"])) == (
        "every Monday, Friday and Saturday at 02:30, Europe/Berlin"
    )
    assert in_words(timing(repeats="once", on="2031-07-01")) == "once, on 2031-07-01 at 02:30, Europe/Berlin"
