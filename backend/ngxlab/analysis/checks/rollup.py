"""Checks of many trials as one line each, and the clause that ends the headline."""

from collections.abc import Iterable, Sequence

from ngxlab.analysis.checks.finding import GRAVITY
from ngxlab.analysis.schemas import CheckResult, CheckSummary, RolledCheck


def roll_up(results: Iterable[CheckResult]) -> CheckSummary:
    """One line for each check, by number; checks without a number come last."""
    by_key: dict[str, list[CheckResult]] = {}
    for result in results:
        by_key.setdefault(result.key, []).append(result)
    rolled = sorted((_roll(group) for group in by_key.values()), key=lambda check: check.number or 1000)
    made = [check for check in rolled if check.severity != "unavailable"]
    passed = sum(check.severity in {"pass", "info"} for check in made)
    return CheckSummary(
        passed=passed,
        made=len(made),
        warnings=sum(check.severity == "warning" for check in made),
        errors=sum(check.severity == "error" for check in made),
        unavailable=len(rolled) - len(made),
        text=_text(passed, rolled),
        results=rolled,
    )


def _roll(group: Sequence[CheckResult]) -> RolledCheck:
    worst = max(group, key=lambda result: GRAVITY[result.severity])
    alike = [result for result in group if result.severity == worst.severity]
    message = worst.message
    if worst.severity != "pass" and len(group) > 1:
        message = f"in {len(alike)} of {len(group)} trials: {message}"
    return RolledCheck(
        number=worst.number,
        key=worst.key,
        severity=worst.severity,
        title=worst.title,
        message=message,
        remedy=worst.remedy,
        trial_ids=[] if worst.severity == "pass" else [one for result in alike for one in result.trial_ids],
        voids=worst.voids,
        trials_made=len({one for result in group if result.severity != "unavailable" for one in result.trial_ids}),
    )


def _text(passed: int, rolled: Sequence[RolledCheck]) -> str:
    made = [check for check in rolled if check.severity != "unavailable"]
    if not made:
        return "no check could be made"
    parts = [f"{passed} of {len(made)} checks passed"]
    for severity in ("error", "warning"):
        keys = [check.key.replace("-", " ") for check in made if check.severity == severity]
        if keys:
            parts.append(f"{severity}{'s' if len(keys) > 1 else ''}: {', '.join(keys)}")
    return "; ".join(parts)
