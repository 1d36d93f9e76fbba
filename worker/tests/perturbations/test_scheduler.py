"""How actions begin, are skipped, end and are reported, with actions that the test controls."""

import threading

import pytest
from ngxlab_contracts.perturbations import During, Every, Once, PerturbationSpec, Sync, When
from ngxlab_contracts.telemetry import ActionEvent
from ngxlab_worker.core.clock import HostClock
from ngxlab_worker.perturbations import Action, ActionError, Cue, Done, Perturbations, scheduler
from tests.support.hosts import wait_until

CLOCK = HostClock.anchored_now()


class Quick:
    def __call__(self, cue: Cue) -> Done:
        return Done(ok=True, detail="done", status=200)


class Lasting:
    """Until it is told to end, or its interval is over."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.undone = threading.Event()

    def __call__(self, cue: Cue) -> Done:
        self.begun.set()
        whole = cue.wait_until(cue.ends_us)
        self.undone.set()
        return Done(ok=whole)


class Gated:
    """Each action waits for the test."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.go_on = threading.Semaphore(0)

    def __call__(self, cue: Cue) -> Done:
        self.begun.release()
        self.go_on.acquire()
        return Done(ok=True)


class Deaf:
    """Waits for something that only an interruption ends."""

    def __init__(self) -> None:
        self.begun = threading.Event()

    def __call__(self, cue: Cue) -> Done:
        given_up = threading.Event()
        with cue.interrupted_by(given_up.set):
            self.begun.set()
            given_up.wait()
        raise ActionError("given up")


class Started:
    def __init__(self, when: When, action: Action, window_s: float) -> None:
        spec = PerturbationSpec(key="p", when=when, action=Sync())
        self.perturbations = Perturbations([(spec, action)], CLOCK)
        self.began_us = CLOCK.now_us()
        self.events: list[ActionEvent] = []
        self.perturbations.begin(self.began_us, window_s)

    def until(self, count: int) -> list[ActionEvent]:
        """Wait until there are this many events in all."""

        def enough() -> bool:
            self.events += self.perturbations.news()
            return len(self.events) >= count

        wait_until(enough)
        return self.events

    def end(self) -> list[ActionEvent]:
        self.perturbations.end()
        self.events += self.perturbations.news()
        return self.events


def test_actions_are_numbered_and_say_what_they_did() -> None:
    started = Started(Every(every_s=0.05), Quick(), 0.2)
    found = started.until(4)
    assert [event.number for event in found] == [1, 2, 3, 4]
    for event in found:
        due_us = started.began_us + 50_000 * (event.number - 1)
        assert event.ended_us is not None
        assert due_us <= event.t_us <= event.ended_us
        assert (event.perturbation, event.action, event.ok) == ("p", "sync", True)
        assert (event.status, event.detail) == (200, "done")
    assert len(started.end()) == 4


def test_beats_during_an_action_are_recorded_as_skipped() -> None:
    action = Gated()
    started = Started(Every(every_s=0.05), action, 60)
    action.begun.acquire()
    wait_until(lambda: CLOCK.now_us() > started.began_us + 160_000)
    action.go_on.release()
    action.begun.acquire()  # the first beat after it
    found = started.until(4)
    action.go_on.release(10_000)
    started.end()

    assert found[0].ok
    skipped = [event for event in found if event.skipped]
    assert [event.number for event in skipped] == list(range(2, 2 + len(skipped)))
    assert len(skipped) >= 3
    for event in skipped:
        assert not event.ok
        assert event.detail == "skipped: the previous action was still running"
        assert event.t_us == event.ended_us == started.began_us + 50_000 * (event.number - 1)


def test_an_interval_reports_its_beginning_and_its_end() -> None:
    started = Started(During(from_s=0.01, until_s=0.1), Lasting(), 60)
    begun, ended = started.until(2)
    assert (begun.number, begun.ended_us, begun.ok) == (1, None, True)
    assert (ended.number, ended.t_us) == (1, begun.t_us)
    assert ended.ended_us is not None
    assert ended.ended_us - started.began_us >= 100_000
    started.end()


@pytest.mark.parametrize("action", [Lasting(), Deaf()])
def test_the_end_of_the_load_ends_what_is_under_way(action: Lasting | Deaf) -> None:
    started = Started(During(), action, 60)
    assert action.begun.wait(20)
    begun, ended = started.end()
    assert begun.ended_us is None
    assert ended.ended_us is not None
    assert not ended.ok


def test_what_does_not_end_is_reported_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler, "END_TIMEOUT_S", 0.05)
    action = Gated()
    started = Started(Once(at_s=0), action, 60)
    action.begun.acquire()
    (event,) = started.end()
    assert (event.ok, event.ended_us) == (False, None)
    assert "had not ended" in event.detail
    action.go_on.release()


def test_nothing_begins_after_the_end() -> None:
    started = Started(Once(at_s=30), Quick(), 60)
    assert started.end() == []


@pytest.mark.parametrize("error", [ActionError("no such node"), OSError("no such node")])
def test_a_failure_is_an_event_and_the_next_action_is_tried(error: Exception) -> None:
    class Failing:
        def __call__(self, cue: Cue) -> Done:
            raise error

    started = Started(Every(every_s=0.05), Failing(), 60)
    found = started.until(2)
    assert [(event.ok, event.detail) for event in found[:2]] == [(False, "no such node")] * 2
    started.end()


def test_a_defect_is_not_kept_silent() -> None:
    class Defective:
        def __call__(self, cue: Cue) -> Done:
            raise ZeroDivisionError

    started = Started(Once(at_s=0), Defective(), 60)
    with pytest.raises(ZeroDivisionError):
        started.until(1)
