"""A timing as a sentence says it."""

from ngxlab.schedules.timing import WEEKDAYS, Timing

_NAMES = dict(
    zip(WEEKDAYS, ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"), strict=True)
)


def in_words(timing: Timing) -> str:
    """For instance ``every Monday and Friday at 02:00, Europe/Berlin``."""
    at = f"at {timing.time}, {timing.zone}"
    if timing.repeats == "once":
        return f"once, on {timing.on} {at}"
    if timing.repeats == "daily":
        return f"every day {at}"
    *others, last = [_NAMES[day] for day in WEEKDAYS if day in timing.weekdays]
    return f"every {', '.join(others)} and {last} {at}" if others else f"every {last} {at}"
