"""How late the agent was: what a busy host does to a trial has to be said, whoever reads its figures."""

from dataclasses import dataclass

from ngxlab_contracts.trials import SamplingSpec

from ngxlab_worker.trial.recorder import Recorder

TOLERATED_US = 20_000
"""So late may a load begin, or a phase change, before it is noted (the start spread that is allowed between hosts)."""


@dataclass
class Punctuality:
    """Of one trial's load. Notes lateness at the edges at once, that of readings in between once, by :meth:`close`."""

    recorder: Recorder
    sampling: SamplingSpec
    late_readings: int = 0
    latest_us: int = 0

    def edge(self, what: str, code: str, late_us: int) -> bool:
        """``what`` should have happened ``late_us`` ago; whether that is too long."""
        if late_us <= TOLERATED_US:
            return False
        self.recorder.note("warning", code, f"{what} {late_us // 1000} ms after its instant")
        return True

    def away(self, late_us: int) -> bool:
        """Whether a reading is so late that the next one is due: it is left out, not to add to the host's troubles."""
        if late_us <= self.sampling.interval_ms * 1000:
            return False
        self.reading(late_us)
        return True

    def reading(self, late_us: int) -> None:
        """A reading was finished ``late_us`` after its instant. Half an interval is what analysis calls missing."""
        if 2 * late_us > self.sampling.interval_ms * 1000:
            self.late_readings += 1
            self.latest_us = max(self.latest_us, late_us)

    def close(self) -> None:
        """The load is over."""
        if self.late_readings:
            message = f"{self.late_readings} readings were late or left out, by up to {self.latest_us // 1000} ms"
            self.recorder.note("info", "late-readings", message)
