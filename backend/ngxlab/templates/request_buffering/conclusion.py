"""Which property of buffering costs: the temporary file, the size of the chunks, or buffering itself."""

from collections.abc import Iterator
from dataclasses import dataclass

from ngxlab.analysis.schemas import ArmAnalysis, Comparison
from ngxlab.analysis.verdict import numbers
from ngxlab.templates.evidence import Evidence, metric
from ngxlab.templates.request_buffering.charts import CONNECTIONS
from ngxlab.templates.saying import digits, said

_RATE = metric("requests_per_s")
_DISK = metric("disk_written_bytes_per_request")
_CALLS = metric("write_syscalls_per_request")
_WARNED = metric("temp_file_warnings_per_1000_requests")
_NOTEWORTHY_BYTES = 1024.0
_NO_COST = "So neither the temporary file nor the size of the chunks costs requests per second here."
_NOT_TOLD = "So this run cannot tell which of the two costs requests per second: it varied too much."


def conclude(evidence: Evidence) -> list[str]:
    """A separate conclusion for each number of connections in the run."""
    sentences = []
    for factor in evidence.definition.factors:
        if factor.key == CONNECTIONS:
            for level in factor.levels:
                of_level = _Arms.of(evidence, {CONNECTIONS: level.key}).sentences()
                sentences += [f"{level.label}: {sentence}" for sentence in of_level]
            return [*sentences, *_host(evidence)]
    return [*_Arms.of(evidence, {}).sentences(), *_host(evidence)]


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

    def sentences(self) -> list[str]:
        parts = [*self._temporary_file(), *self._chunks(), *self._buffering(), *self._summary()]
        return [part for part in parts if part]

    def _compare(self, arm: ArmAnalysis | None, against: ArmAnalysis | None) -> Comparison | None:
        return self.evidence.compare(arm, against, _RATE)

    def _temporary_file(self) -> Iterator[str | None]:
        """Both arms buffer; only one of them needs a temporary file for the body."""
        if (text := self.evidence.statement(self.spilling, self.buffered, _RATE)) is not None:
            yield f"Effect of the temporary file, all else equal: {text}"
        yield self._proof()

    def _proof(self) -> str | None:
        if self.spilling is None or self.buffered is None:
            return None
        written = [self.evidence.mean(arm, _DISK) for arm in (self.spilling, self.buffered)]
        if written[0] is None or written[1] is None:
            return None
        own, other = (said(size, "bytes") for size in written if size is not None)
        text = f"nginx wrote to disk per request: {own} with `{self.spilling.label}`, {other} with "
        text += f"`{self.buffered.label}`"
        warned = [self.evidence.mean(arm, _WARNED) for arm in (self.spilling, self.buffered)]
        if warned[0] is None or warned[1] is None:
            return f"{text}."
        own, other = (digits(count) for count in warned if count is not None)
        return f"{text}. It warned of a temporary file {own} and {other} times per 1000 requests."

    def _chunks(self) -> Iterator[str | None]:
        """Neither arm writes a file; they differ in how much they pass on at once."""
        if (text := self.evidence.statement(self.small, self.large, _RATE)) is not None:
            yield f"Effect of the size of the chunks, without any file: {text}"
        few, many = self.evidence.mean(self.large, _CALLS), self.evidence.mean(self.small, _CALLS)
        if few is not None and many is not None and self.small is not None and self.large is not None:
            counts = f"{digits(many)} with `{self.small.label}`, {digits(few)} with `{self.large.label}`"
            yield f"Write calls of nginx per request: {counts}."

    def _buffering(self) -> Iterator[str | None]:
        """Both hold the whole body in memory."""
        if (text := self.evidence.statement(self.buffered, self.large, _RATE)) is not None:
            yield f"Effect of buffering itself, with the whole body in memory: {text}"

    def _summary(self) -> Iterator[str]:
        file, chunks = self._compare(self.spilling, self.buffered), self._compare(self.small, self.large)
        if file is None or chunks is None:
            return
        costs = [
            f"{name} ({numbers.change(comparison.estimate)})"
            for name, comparison in (("the temporary file", file), ("chunks of 8k", chunks))
            if comparison.verdict == "worse"
        ]
        if not costs:
            yield _NOT_TOLD if "undecided" in {file.verdict, chunks.verdict} else _NO_COST
            return
        spilled = self.evidence.mean(self.spilling, _DISK)
        without = ", although a file was written" if spilled is not None and spilled > _NOTEWORTHY_BYTES else ""
        innocent = f" This run shows no cost of the temporary file{without}." if file.verdict != "worse" else ""
        yield f"The cost in requests per second comes from {' and '.join(costs)}{self._not_buffering()}.{innocent}"

    def _not_buffering(self) -> str:
        as_such = self._compare(self.buffered, self.large)
        if as_such is not None and as_such.verdict in {"equivalent", "better"}:
            return ", not from buffering itself"
        return ""


def _host(evidence: Evidence) -> Iterator[str]:
    """iowait and load average show the disk's work. What that work costs shows in the rate."""
    for key in ("iowait_percent", "load1"):
        quantity = metric(key)
        means = [(arm, evidence.mean(arm, quantity)) for arm in evidence.arms]
        measured = [(arm.label, mean) for arm, mean in means if mean is not None]
        if measured:
            unit = " %" if quantity.info.unit == "%" else ""
            listed = ", ".join(f"{digits(mean)}{unit} with `{label}`" for label, mean in measured)
            yield f"{quantity.info.title}: {listed}."
