"""What viewers are told of a search while it goes on."""

import pytest
from analysis import builders, curving, searching
from analysis.searching import found, step
from ngxlab.live.searches import CurveFollower, SearchFollower
from ngxlab_contracts.telemetry import PhaseEvent


def test_each_step_is_told_as_it_comes_and_then_what_was_found() -> None:
    follower = SearchFollower(builders.spec(streams=[searching.stream()]))
    begins = PhaseEvent(t_us=searching.WINDOW_US, phase="measure")
    (first,) = follower.feed([begins, step(1, 100)])
    assert (first["step"]["number"], first["step"]["t_s"], first["step"]["result"]) == (1, 0, "met")
    assert (first["search"]["goal_text"]["text"], first["search"]["to_per_s"], first["search"]["ended"]) == (
        "p99 ≤ 50 ms and errors ≤ 0.1 %", 20_000, None,
    )  # fmt: skip
    second, last = follower.feed([step(2, 2_000, "missed"), found(1_000.0)])
    assert (second["step"]["number"], second["step"]["t_s"]) == (2, 1)
    assert (last["step"], last["search"]["ended"], last["search"]["capacity_per_s"]) == (None, "found", 1_000)


def test_a_stream_of_another_host_is_not_told() -> None:
    follower = SearchFollower(builders.spec())
    assert list(follower.feed([step(1, 100), found(1_000.0)])) == []


def test_each_rate_of_a_curve_is_told_as_it_comes() -> None:
    follower = CurveFollower(builders.spec(streams=[curving.stream()]))
    begins = PhaseEvent(t_us=curving.WINDOW_US, phase="measure")
    first, second = follower.feed([begins, curving.step(1, 500), curving.step(2, 2000, most_per_s=800)])
    assert [(one["stream"], one["planned"], one["number"]) for one in (first, second)] == [
        ("main", 4, 1),
        ("main", 4, 2),
    ]
    followed, behind = first["point"], second["point"]
    assert [followed["per_s"], followed["throughput"]["mean"], followed["p99_us"]["mean"]] == pytest.approx(
        [500, 500, 4000]
    )
    assert (behind["per_s"], behind["throughput"]["mean"], behind["p99_us"]) == (2000, pytest.approx(800), None)
    assert list(CurveFollower(builders.spec()).feed([curving.step(1, 500)])) == []
