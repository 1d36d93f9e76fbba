"""What the long table has of searches for the capacity."""

from analysis import builders, searching
from analysis.searching import found, step
from ngxlab.analysis.summary.trial import summarise_trial
from ngxlab.exports.rows import search_rows
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
