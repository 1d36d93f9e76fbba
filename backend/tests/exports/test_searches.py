"""What the long table has of searches for the capacity, and of curves."""

from analysis import builders, curving, searching
from analysis.searching import found, step
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab.exports.rows import curve_rows, search_rows
from ngxlab_contracts.telemetry import Event


def test_every_step_and_what_was_found_are_rows() -> None:
    events: list[Event] = [step(1, 100), step(2, 2_000, "missed"), found(1_000.0)]
    rows = list(search_rows(summarise_trial(builders.trial(searching.record(events)))))
    whole = rows[0]
    assert (whole.table, whole.key, whole.value, whole.low, whole.high, whole.text) == (
        "searches", "capacity_per_s", 1_000, 970, 1_020, "found",
    )  # fmt: skip
    assert whole.label == "p99 ≤ 50 ms and errors ≤ 0.1 %"
    of_second = {row.key: (row.value, row.text) for row in rows if (row.table, row.label) == ("steps", "2")}
    assert of_second["per_s"] == (2_000, "missed")
    assert of_second["failed"] == (200, "missed")
    assert of_second["p99_us"] == (80_000, "missed")
    assert of_second["p999_us"] == (None, "missed")


def test_a_search_without_a_value_says_why() -> None:
    rows = list(search_rows(summarise_trial(builders.trial(searching.record([found(None, "no-rate")])))))
    assert [(row.value, row.text) for row in rows] == [(None, "no rate from 100/s on met the goal")]


def test_every_rate_of_a_curve_and_its_plateau_are_rows() -> None:
    steps: list[Event] = [curving.step(1, 500), curving.step(2, 2_000, most_per_s=800)]
    whole, *rates = curve_rows(summarise_trial(builders.trial(curving.record(steps))))
    assert (whole.table, whole.key, whole.value, whole.text) == ("curves", "plateau_per_s", 800, "plateau")
    told = {(row.label, row.key): (row.value, row.text) for row in rates if row.table == "rates"}
    assert told["1", "per_s"] == (500, "followed")
    assert told["2", "achieved_per_s"] == (800, "not followed")
    assert told["2", "failed"] == (1200, "not followed")
    (without,) = curve_rows(summarise_trial(builders.trial(curving.record([]))))
    assert (without.value, str(without.text)) == (None, "no rate was tried at which the load generator was in time")


def test_a_curve_of_connections_has_their_numbers_and_its_knee() -> None:
    steps: list[Event] = [
        curving.step(number, min(100 * count, 800)).model_copy(update={"connections": count})
        for number, count in enumerate((4, 1, 8, 16, 32), 1)
    ]
    rows = list(curve_rows(summarise_trial(builders.trial(curving.record(steps)))))
    numbers = {row.label: row.value for row in rows if (row.table, row.key) == ("rates", "connections")}
    assert numbers == {"1": 4, "2": 1, "3": 8, "4": 16, "5": 32}
    assert [(row.value, row.unit) for row in rows if row.key == "knee"] == [(8, "connections")]
