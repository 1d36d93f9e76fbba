"""When actions are due."""

from ngxlab_contracts.perturbations import During, Every, Once, When
from ngxlab_worker.perturbations.scheduler import Beat, beats


def begins(when: When, window_s: float = 10) -> list[float]:
    return [beat.begin_us / 1e6 for beat in beats(when, window_s)]


def test_once() -> None:
    assert list(beats(Once(at_s=2.5), 10)) == [Beat(1, 2_500_000, 2_500_000)]
    assert begins(Once(at_s=10)) == []


def test_every_begins_at_from_and_stays_before_until() -> None:
    assert begins(Every(every_s=2)) == [0, 2, 4, 6, 8]
    assert begins(Every(every_s=2, from_s=1, until_s=5)) == [1, 3]
    assert begins(Every(every_s=3, from_s=1, until_s=60)) == [1, 4, 7]
    assert [beat.number for beat in beats(Every(every_s=4), 10)] == [1, 2, 3]


def test_many_beats_do_not_drift() -> None:
    found = begins(Every(every_s=0.1), 3600)
    assert len(found) == 36_000
    assert found[-1] == 3599.9


def test_an_interval_ends_with_the_window_at_last() -> None:
    assert list(beats(During(from_s=1, until_s=4), 10)) == [Beat(1, 1_000_000, 4_000_000)]
    assert list(beats(During(from_s=1), 10)) == [Beat(1, 1_000_000, 10_000_000)]
    assert list(beats(During(from_s=1, until_s=60), 10)) == [Beat(1, 1_000_000, 10_000_000)]
    assert list(beats(During(from_s=12), 10)) == []
