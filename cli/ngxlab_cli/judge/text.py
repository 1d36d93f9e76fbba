"""Claims as text for people: the answer first, then every figure."""

from collections.abc import Sequence

from ngxlab_verdict import Claim

from ngxlab_cli.tables import columns

_FACTOR_FROM = 2.0
_MINUS = "\N{MINUS SIGN}"


def experiment_text(name: str | None, baseline: str, claims: Sequence[Claim]) -> str:
    title = f"{name}, against {baseline}" if name else f"against {baseline}"
    if not claims:
        return f"{title}\n  There is no other arm.\n"
    primary = [claim for claim in claims if claim.family == "primary"]
    answers = [_answer(claim) for claim in primary if claim.verdict != "undecided"]
    undecided = sum(claim.verdict == "undecided" for claim in primary)
    if undecided:
        answers.append(f"Undecided: {undecided} of {len(primary)} primary claims.")
    rows = [["arm", "metric", "family", "verdict", "change", "95 % interval", "pairs"]]
    rows += [_row(claim) for claim in claims]
    table = "\n".join(f"  {line}" for line in columns(rows).splitlines())
    reasons = [f"  {claim.arm}, {claim.metric}: {claim.reason}" for claim in claims if claim.reason]
    return "\n".join([title, *(f"  {answer}" for answer in answers), "", table, *reasons, ""])


def _answer(claim: Claim) -> str:
    pairs = f"n = {claim.pairs} pairs"
    figures = f"{change(claim.estimate)} ({_interval(claim)}, {pairs})"
    return f"{claim.arm} is {claim.verdict} in {claim.metric}{_at_least(claim)}: {figures}."


def _at_least(claim: Claim) -> str:
    if not claim.at_least or claim.low is None or claim.high is None:
        return ""
    near = claim.low if claim.low > 1 else claim.high
    return f" by at least {change(near).lstrip(f'+{_MINUS}')}"


def _row(claim: Claim) -> list[str]:
    shown = change(claim.estimate) if claim.estimate is not None else "-"
    interval = _interval(claim) if claim.low is not None else "-"
    return [claim.arm, claim.metric, claim.family, claim.verdict, shown, interval, str(claim.pairs)]


def _interval(claim: Claim) -> str:
    return f"{change(claim.low, claim.estimate)} to {change(claim.high, claim.estimate)}"


def change(ratio: float | None, of: float | None = None) -> str:
    """``2.4x`` or ``+12 %``; an interval's ends take the scale of their estimate, ``of``."""
    if ratio is None:
        return "-"
    if (of or ratio) >= _FACTOR_FROM:
        return f"{ratio:.3g}x"
    percent = 100 * (ratio - 1)
    digits = 0 if abs(percent) >= 10 else 1
    return f"{percent:+.{digits}f} %".replace("-", _MINUS)
