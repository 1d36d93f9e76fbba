"""What a viewer who comes late is told of a trial: all of it, or of a long one as much as a chart can show."""

import json

from ngxlab.live.feed import POINTS_A_LINE, ROOM, LiveEvent, TrialLog

TRIAL = {"trial_id": "t", "arm": "a", "block": 1}


def points(seq: int, *values: float | None) -> LiveEvent:
    """A reading of several lines, a second after the one before."""
    lines = [
        {"key": "k", "label": str(line), "unit": "u", "t_s": float(seq), "value": value}
        for line, value in enumerate(values)
    ]
    return LiveEvent(seq, "points", json.dumps({**TRIAL, "points": lines}))


def line(events: list[LiveEvent], label: str) -> list[tuple[float, float | None]]:
    told = [p for event in events if event.event == "points" for p in json.loads(event.data)["points"]]
    return [(p["t_s"], p["value"]) for p in told if p["label"] == label]


def test_a_short_trial_is_told_as_it_came() -> None:
    log, events = TrialLog(), [points(seq, 1.0, 2.0) for seq in range(1, 100)]
    for event in events:
        log.add([event], 2)
    assert log.after(0) == events
    assert log.after(97) == events[97:]


def test_of_a_long_trial_peaks_gaps_and_the_latest_readings_stay() -> None:
    log, seconds = TrialLog(), ROOM
    for seq in range(1, seconds + 1):
        peak = 1000.0 if seq == 777 else 1.0
        log.add([points(seq, peak, None if seq == 888 else 2.0)], 2)
    told = log.after(0)
    first, second = line(told, "0"), line(told, "1")
    assert len(first) < 2 * seconds / 4 + POINTS_A_LINE < seconds
    assert first[0] == (1.0, 1.0)
    assert (777.0, 1000.0) in first
    assert (888.0, None) in second
    assert first[-100:] == [(float(seq), 1.0) for seq in range(seconds - 99, seconds + 1)]
    assert [t for t, _ in first] == sorted(t for t, _ in first)
    assert all(json.loads(event.data).items() >= TRIAL.items() for event in told)


def test_who_comes_back_to_a_thinned_trial_misses_no_note() -> None:
    log = TrialLog()
    for seq in range(1, ROOM + 2):
        log.add([points(seq, 1.0), LiveEvent(seq, "note", "{}")], 1)
    told = log.after(0)
    assert len(told) < 2 * ROOM
    assert [event.seq for event in told] == sorted(event.seq for event in told)
    assert [event.seq for event in told if event.event == "note"] == list(range(1, ROOM + 2))
    broken_off = told[len(told) // 3]
    later = [event for event in told if event.seq > broken_off.seq]
    assert log.after(broken_off.seq) == later
    assert line(later, "0")[-1] == (float(ROOM + 1), 1.0)
