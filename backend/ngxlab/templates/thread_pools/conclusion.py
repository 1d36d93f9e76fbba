"""What a thread pool did for requests that need no disk, whether the disk was used, and which numbers are neutral."""

from collections.abc import Iterator

from ngxlab_contracts.sentences import Sentence, listed, say

from ngxlab.analysis.checks.page_cache import MIN_COLD_PERCENT
from ngxlab.templates.evidence import Evidence
from ngxlab.templates.thread_pools.quantities import BLOCKED, FROM_DISK, IOWAIT, LOAD, P99, RATE

_CAVEAT = say(
    "A pool gains nothing if the files fit into the page cache, as the article itself says: "
    "then no read blocks, and passing it to a thread is only more work."
)
_NEUTRAL = say("iowait and load average show how much work the disk has, so neither direction is better.")


def conclude(evidence: Evidence) -> list[Sentence]:
    """For each pool against none: the hot file's rate and p99, blocked workers, the disk's work. Then the limits."""
    without = evidence.arm({"aio": "off"})
    pools = [arm for arm in evidence.arms if arm is not without]
    quantities = (RATE, P99, BLOCKED, IOWAIT, LOAD)
    stated = [(one, text) for one in quantities for pool in pools if (text := evidence.statement(pool, without, one))]
    neutral = [_NEUTRAL] if any(quantity in {IOWAIT, LOAD} for quantity, _ in stated) else []
    return [*(text for _, text in stated), *neutral, *_from_disk(evidence), _CAVEAT]


def _from_disk(evidence: Evidence) -> Iterator[Sentence]:
    """The hot file comes from memory, so the share falls when more of it is served."""
    if not evidence.is_valid(FROM_DISK):
        return
    shares = [(arm, share) for arm in evidence.arms if (share := evidence.estimate(arm, FROM_DISK)) is not None]
    if not shares:
        yield say("It is unknown whether the files came from the disk, because the host does not report it.")
        return
    found = listed(say("{text} with `{arm}`", text=share.text("%"), arm=arm.label) for arm, share in shares)
    yield say(
        "Share of the bytes served that was read from the disk: {found}. The hot file makes it "
        "less than 100 %, and bytes that are read ahead and dropped before they are sent make it "
        "more.",
        found=found,
    )
    warm = [f"`{arm.label}`" for arm, share in shares if share.at_least(MIN_COLD_PERCENT) == "no"]
    if warm:
        least = say("less than {percent} % came from the disk", percent=MIN_COLD_PERCENT)
        yield say("The random files were not cold with {warm}: {least}.", warm=listed(warm), least=least)
