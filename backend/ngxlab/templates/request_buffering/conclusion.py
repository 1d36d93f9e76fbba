"""Which property of buffering costs: the temporary file, the size of the chunks, or buffering itself."""

from collections.abc import Iterator
from dataclasses import dataclass

from ngxlab_contracts.sentences import Sentence, listed, say

from ngxlab.analysis.schemas import ArmAnalysis, Comparison
from ngxlab.templates.evidence import Evidence, metric

CONNECTIONS = "connections"
_RATE = metric("requests_per_s")
_DISK = metric("disk_written_bytes_per_request")
_CALLS = metric("write_syscalls_per_request")
_WARNED = metric("temp_file_warnings_per_1000_requests")
_HOST = (metric("iowait_percent"), metric("load1"))


def conclude(evidence: Evidence) -> list[Sentence]:
    """A separate conclusion for each number of connections in the run."""
    sentences: list[Sentence] = []
    for factor in evidence.definition.factors:
        if factor.key == CONNECTIONS:
            for level in factor.levels:
                of_level = _Arms.of(evidence, {CONNECTIONS: level.key}).sentences()
                sentences += [say("{level}: {sentence}", level=level.label, sentence=one) for one in of_level]
            return sentences
    return _Arms.of(evidence, {}).sentences()


@dataclass(frozen=True)
class _Arms:
    """The arms that the question compares; ``None`` for an arm without a usable trial."""

    evidence: Evidence
    spilling: ArmAnalysis | None
    buffered: ArmAnalysis | None
    small: ArmAnalysis | None
    large: ArmAnalysis | None

    @classmethod
    def of(cls, evidence: Evidence, levels: dict[str, str]) -> "_Arms":
        def arm(level: str) -> ArmAnalysis | None:
            one = evidence.arm({"buffering": level, **levels})
            return one if one is not None and evidence.usable(one) else None

        return cls(evidence, arm("on-16k"), arm("on-640k"), arm("off-8k"), arm("off-640k"))

    def sentences(self) -> list[Sentence]:
        return [*self._temporary_file(), *self._chunks(), *self._buffering(), *self._summary()]

    def _temporary_file(self) -> Iterator[Sentence]:
        """Both arms buffer; only one of them needs a temporary file for the body."""
        if (text := self.evidence.statement(self.spilling, self.buffered, _RATE)) is not None:
            yield say("The temporary file, all else equal. {text}", text=text)
        for quantity in (_DISK, *_HOST):
            if (text := self.evidence.statement(self.spilling, self.buffered, quantity)) is not None:
                yield text
        yield from self._warned()

    def _warned(self) -> Iterator[Sentence]:
        """Counted in trials: nginx warns of each body that does not fit."""
        counted = [
            (arm.label, sum(value > 0 for value in values), len(values))
            for arm in (self.spilling, self.buffered)
            if arm is not None and (values := self.evidence.values(arm, _WARNED))
        ]
        if counted:
            found = listed(
                say("in {warned} of {trials} trials with `{label}`", warned=warned, trials=trials, label=label)
                for label, warned, trials in counted
            )
            yield say("nginx warned of temporary files {found}.", found=found)

    def _chunks(self) -> Iterator[Sentence]:
        """Neither arm writes a file; they differ in how much they pass on at once."""
        if (text := self.evidence.statement(self.small, self.large, _RATE)) is not None:
            yield say("The size of the chunks, without any file. {text}", text=text)
        if (text := self.evidence.statement(self.small, self.large, _CALLS)) is not None:
            yield text

    def _buffering(self) -> Iterator[Sentence]:
        """Both hold the whole body in memory."""
        if (text := self.evidence.statement(self.buffered, self.large, _RATE)) is not None:
            yield say("Buffering itself, with the whole body in memory. {text}", text=text)

    def _summary(self) -> Iterator[Sentence]:
        """What follows for requests/s from the three comparisons, as far as they are decided."""
        compared = (
            (say("the temporary file"), self.spilling, self.buffered),
            (say("chunks of 8k"), self.small, self.large),
            (say("buffering itself"), self.buffered, self.large),
        )
        costs = [(name, self.evidence.compare(arm, other, _RATE)) for name, arm, other in compared]
        of_state: dict[Sentence, list[Sentence]] = {}
        for name, comparison in costs:
            if comparison is not None and comparison.verdict != "not_valid":
                of_state.setdefault(_state(comparison), []).append(name)
        for state, names in of_state.items():
            yield say("{state}: {names}.", state=state, names=listed(names, " and "))


def _state(comparison: Comparison) -> Sentence:
    """What is known of the property that the compared arm has and the other has not."""
    if comparison.verdict == "undecided":
        return say("Undecided whether it costs requests/s")
    if comparison.verdict in {"worse", "lower"}:
        return say("What costs requests/s")
    return say("What costs less than {margin:g} % of requests/s", margin=100 * comparison.margin)
