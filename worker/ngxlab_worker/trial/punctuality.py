"""The agent's lateness. A busy host distorts a trial, so the report has to say it."""

from dataclasses import dataclass

from ngxlab_contracts.trials import SamplingSpec

from ngxlab_worker.trial.recorder import Recorder

TOLERATED_US = 20_000
"""A load or a phase may begin this late without a note: the spread of starts that is allowed between hosts."""


@dataclass
class Punctuality:
    """Lateness in a trial's load. A late phase is noted at once; late readings are noted together, by :meth:`close`."""

    recorder: Recorder
    sampling: SamplingSpec
    late_readings: int = 0
    latest_us: int = 0

    def edge(self, what: str, code: str, late_us: int) -> bool:
        """Note that ``what`` happened ``late_us`` late, if that is too late; returns whether it is."""
        if late_us <= TOLERATED_US:
            return False
        self.recorder.note("warning", code, f"{what} {late_us // 1000} ms late")
        return True

    def away(self, late_us: int) -> bool:
        """Whether a reading is so late that the next one is due. It is then skipped, to spare a busy host."""
        if late_us <= self.sampling.interval_ms * 1000:
            return False
        self.reading(late_us)
        return True

    def reading(self, late_us: int) -> None:
        """Count a reading that was finished ``late_us`` late, if the analysis calls it missing: half an interval."""
        if 2 * late_us > self.sampling.interval_ms * 1000:
            self.late_readings += 1
            self.latest_us = max(self.latest_us, late_us)

    def close(self) -> None:
        """The load is over: note the late readings, if there were any."""
        if self.late_readings:
            message = f"{self.late_readings} readings were late or skipped, by up to {self.latest_us // 1000} ms"
            self.recorder.note("info", "late-readings", message)
