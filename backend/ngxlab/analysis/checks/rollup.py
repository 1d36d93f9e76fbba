"""Checks of many trials as one line each, and the clause that ends the headline."""

from collections.abc import Iterable, Sequence

from ngxlab_contracts.sentences import Sentence, fixed, listed, say

from ngxlab.analysis.checks import declarations
from ngxlab.analysis.checks.check import GRAVITY
from ngxlab.analysis.schemas import CheckResult, CheckSummary, RolledCheck


def roll_up(results: Iterable[CheckResult]) -> CheckSummary:
    """One line for each check, by number; checks without a number come last.

    An info counts neither as passed nor as failed: there is nothing that it could fail.
    """
    by_key: dict[str, list[CheckResult]] = {}
    for result in results:
        by_key.setdefault(result.key, []).append(result)
    rolled = sorted((_roll(group) for group in by_key.values()), key=lambda check: check.number or 1000)
    made = _made(rolled)
    passed = sum(check.severity == "pass" for check in made)
    return CheckSummary(
        passed=passed,
        made=len(made),
        warnings=sum(check.severity == "warning" for check in made),
        errors=sum(check.severity == "error" for check in made),
        unavailable=sum(check.severity == "unavailable" for check in rolled),
        text=_text(passed, rolled),
        results=rolled,
    )


def _roll(group: Sequence[CheckResult]) -> RolledCheck:
    worst = max(group, key=lambda result: GRAVITY[result.severity])
    alike = [result for result in group if result.severity == worst.severity]
    message = worst.message
    if worst.severity != "pass" and len(group) > 1:
        differ = len({result.message for result in alike}) > 1
        message = say(
            "in {count} of {trials} trials; in the first of them: {message}"
            if differ
            else "in {count} of {trials} trials: {message}",
            count=len(alike),
            trials=len(group),
            message=message,
        )
    return RolledCheck(
        number=worst.number,
        key=worst.key,
        severity=worst.severity,
        title=_title(worst),
        message=message,
        remedy=worst.remedy,
        trial_ids=[] if worst.severity == "pass" else [one for result in alike for one in result.trial_ids],
        voids=worst.voids,
        trials_made=len({one for result in group if result.severity != "unavailable" for one in result.trial_ids}),
    )


def _title(result: CheckResult) -> str:
    """By today's declaration: results are kept, and words get better."""
    declared = next((check for check in declarations() if check.key == result.key), None)
    return declared.titled(result.severity) if declared is not None else result.title


def _made(rolled: Sequence[RolledCheck]) -> list[RolledCheck]:
    return [check for check in rolled if check.severity not in {"info", "unavailable"}]


def _text(passed: int, rolled: Sequence[RolledCheck]) -> Sentence:
    made = _made(rolled)
    if not made:
        return say("no check could be made")
    parts = [say("{passed} of {made} checks passed", passed=passed, made=len(made))]
    errors, warnings = (_names([check for check in made if check.severity == one]) for one in ("error", "warning"))
    if errors:
        parts.append(say("errors: {errors}" if len(errors) > 1 else "error: {errors}", errors=listed(errors)))
    if warnings:
        parts.append(
            say("warnings: {warnings}" if len(warnings) > 1 else "warning: {warnings}", warnings=listed(warnings))
        )
    return listed(parts, "; ")


def _names(checks: Sequence[RolledCheck]) -> list[Sentence]:
    return [fixed(check.key.replace("-", " ")) for check in checks]
