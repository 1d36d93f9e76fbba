"""What a thread pool did for requests that need no disk, whether the disk was used, and which numbers are neutral."""

from collections.abc import Iterator

from ngxlab.analysis.schemas import ArmAnalysis
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.saying import digits
from ngxlab.templates.thread_pools.quantities import BLOCKED, FROM_DISK, IOWAIT, LOAD, P99, RATE

_MOSTLY_PERCENT = 50.0
_ALL_PERCENT = 100.0
_CAVEAT = (
    "A pool gains nothing if the files fit into the page cache, as the article itself says: "
    "then no read blocks, and passing it to a thread is only more work."
)


def conclude(evidence: Evidence) -> list[str]:
    """For each pool against none: the hot file's rate and p99, and blocked workers. Then what limits the statements."""
    without = evidence.arm({"aio": "off"})
    if without is None:
        return [_CAVEAT]
    sentences: list[str | None] = []
    for pool in (arm for arm in evidence.arms if arm is not without):
        sentences += [evidence.statement(pool, without, quantity) for quantity in (RATE, P99)]
        sentences.append(_blocked(evidence, pool, without))
    return [text for text in (*sentences, _from_disk(evidence, without), *_neutral(evidence), _CAVEAT) if text]


def _blocked(evidence: Evidence, pool: ArmAnalysis, without: ArmAnalysis) -> str | None:
    before, after = evidence.mean(without, BLOCKED), evidence.mean(pool, BLOCKED)
    if before is None or after is None:
        return None
    text = f"Workers were blocked on the disk for {digits(before)} % of the time with `{without.label}`"
    text += f" and for {digits(after)} % with `{pool.label}`"
    comparison = evidence.compare(pool, without, BLOCKED)
    if comparison is not None and comparison.verdict == "lower":
        return f"{text}: the pool took over the waiting for the disk."
    return f"{text}: this run shows no difference."


def _from_disk(evidence: Evidence, without: ArmAnalysis) -> str | None:
    """The hot file comes from memory, so the share falls when more of it is served."""
    shares = [(arm, evidence.mean(arm, FROM_DISK)) for arm in evidence.arms]
    measured = [(arm, share) for arm, share in shares if share is not None]
    if not measured:
        return "It is unknown whether the files came from the disk, because the host does not report it."
    listed = ", ".join(f"{digits(share)} % with `{arm.label}`" for arm, share in measured)
    text = f"Share of the bytes served that was read from the disk: {listed}; the hot file makes it less than 100 %"
    if any(share > _ALL_PERCENT for _, share in measured):
        text += ", and bytes that were read ahead and dropped before they were sent make it more"
    if {arm.key: share for arm, share in measured}.get(without.key, _ALL_PERCENT) < _MOSTLY_PERCENT:
        return f"{text}. That is little: the random files were not cold, so the effect is smaller than it could be."
    return f"{text}."


def _neutral(evidence: Evidence) -> Iterator[str]:
    for quantity, name, unit in ((IOWAIT, "iowait", " %"), (LOAD, "The load average", "")):
        means = [(arm.label, evidence.mean(arm, quantity)) for arm in evidence.arms]
        measured = [(label, mean) for label, mean in means if mean is not None]
        if len(measured) > 1:
            listed = ", ".join(f"{digits(mean)}{unit} with `{label}`" for label, mean in measured)
            yield f"{name} shows how much work the disk has, so neither direction is better: {listed}."
