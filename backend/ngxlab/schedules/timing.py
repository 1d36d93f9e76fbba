"""Times of schedules. Pure: a rule in a time zone, and from an instant the next one."""

from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import Annotated, Any, Literal, Self, get_args
from zoneinfo import ZoneInfo, available_timezones

from pydantic import AfterValidator, BeforeValidator, Field, Strict, model_validator

from ngxlab.core.payload import Payload

Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
WEEKDAYS: tuple[Weekday, ...] = get_args(Weekday)
_LAST_YEAR = 2200


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())


def _known_zone(name: str) -> str:
    if name not in _zones():
        raise ValueError("is no time zone of the IANA database, such as Europe/Berlin or UTC")
    return name


def _text_only(value: Any) -> Any:
    if not isinstance(value, str | date):
        raise ValueError("must be a date such as 2030-12-31")
    return value


def _plausible(day: date) -> date:
    if not 2000 <= day.year <= _LAST_YEAR:
        raise ValueError("is not in this century")
    return day


Day = Annotated[date, Strict(strict=False), BeforeValidator(_text_only), AfterValidator(_plausible)]
Clock = Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]
"""Hours and minutes, 00:00 to 23:59."""


class Timing(Payload):
    """A time of day in a zone, on one day, every day, or on some days of each week.

    A time that a change to summer time leaves out is an hour later on that day; one that occurs twice is the first.
    """

    repeats: Literal["once", "daily", "weekly"]
    time: Clock = Field(description="hours and minutes, e.g. 02:00")
    zone: Annotated[str, Field(max_length=60), AfterValidator(_known_zone)] = Field(
        description="a time zone of the IANA database, e.g. Europe/Berlin"
    )
    on: Day | None = Field(default=None, description="the day of a schedule that repeats once")
    weekdays: Annotated[list[Weekday], Field(max_length=7)] = Field(
        default=[], description="the days of a weekly schedule"
    )

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if (self.on is not None) != (self.repeats == "once"):
            raise ValueError("a schedule that repeats once, and no other, needs its day in the field on")
        if bool(self.weekdays) != (self.repeats == "weekly"):
            raise ValueError("a weekly schedule, and no other, needs weekdays")
        return self

    def next_after(self, instant: datetime, last_day: date | None = None) -> datetime | None:
        """The first time after ``instant``, in UTC; None where there is none until ``last_day``."""
        zone = ZoneInfo(self.zone)
        today = instant.astimezone(zone).date()
        days = [self.on] if self.on else [today + timedelta(days=ahead) for ahead in range(-1, 9)]
        for day in days:
            if self.repeats == "weekly" and WEEKDAYS[day.weekday()] not in self.weekdays:
                continue
            at = datetime.combine(day, time.fromisoformat(self.time), zone).astimezone(UTC)
            if at > instant and (last_day is None or day <= last_day):
                return at
        return None


_NAMES = dict(
    zip(WEEKDAYS, ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"), strict=True)
)


def in_words(timing: Timing) -> str:
    """The timing in words, such as ``every Monday and Friday at 02:00, Europe/Berlin``."""
    at = f"at {timing.time}, {timing.zone}"
    if timing.repeats == "once":
        return f"once, on {timing.on} {at}"
    if timing.repeats == "daily":
        return f"every day {at}"
    *others, last = [_NAMES[day] for day in WEEKDAYS if day in timing.weekdays]
    return f"every {', '.join(others)} and {last} {at}" if others else f"every {last} {at}"
