"""Checks that compare trials: arms may differ in what the experiment changes, and in nothing else."""

from ngxlab_contracts.sentences import Sentence, listed, say

from ngxlab.analysis.checks.check import Finding, passed, run_check, unavailable
from ngxlab.analysis.schemas import TrialSummary

_ABSENT = say("absent")
_OF_NO_CONSEQUENCE = frozenset({"limit file_max"})
"""The whole host's limit on files, which services raise by themselves: a trial that has its connections did not meet
it."""
_REPEAT = "repeat the run, and leave the host unchanged during it"
_LOG_ALIKE = "use the same access_log directives in every arm, unless the log is the question"
_BUFFER = "use access_log off, or buffer=64k flush=1s: an unbuffered log costs about a fifth more CPU"


def _environment(summaries: list[TrialSummary]) -> Finding:
    recorded = [summary.environment for summary in summaries if summary.environment]
    if not recorded or len(recorded) < len(summaries):
        return unavailable("the environment of some trials was not recorded")
    keys = sorted(set().union(*recorded))
    values_of = {key: _values(key, summaries) for key in keys}
    differing = {key: values for key, values in values_of.items() if len(values) > 1}
    if differing:
        is_grave = any(key.rpartition(": ")[2] not in _OF_NO_CONSEQUENCE for key in differing)
        first, seen = min(differing.items(), key=lambda one: one[0].rpartition(": ")[2] in _OF_NO_CONSEQUENCE)
        values = listed(sorted(seen), " and ")
        message = say(
            "{count} properties of the hosts differ between trials, e.g. {property}: {values}",
            count=len(differing),
            property=first,
            values=values,
        )
        return Finding("error" if is_grave else "warning", message, _REPEAT)
    return passed("all {count} recorded properties are the same in every trial", count=len(keys))


def _values(key: str, summaries: list[TrialSummary]) -> set[str]:
    """The values of a property that should be one. Arms may run different builds; then it is those of the first build,
    or of the first arm, that has several."""
    if key.rpartition(": ")[2] != "nginx":
        return {summary.environment.get(key, _ABSENT) for summary in summaries}
    by_build: dict[str, set[str]] = {}
    for summary in summaries:
        path = summary.nginx_build.path if summary.nginx_build is not None else ""
        value = summary.environment.get(key, _ABSENT)
        by_build.setdefault(say("file {path}", path=path), set()).add(value)
        by_build.setdefault(say("arm {arm}", arm=summary.arm), set()).add(
            say("{value} at {path}", value=value, path=path)
        )
    return next((values for values in by_build.values() if len(values) > 1), set())


def _access_log(summaries: list[TrialSummary]) -> Finding:
    """Reads the configuration. Without a directive nginx logs to its default file, unbuffered.

    Arms differ in what their levels say and in nothing else, so what differs here was asked for, alone or beside more.
    """
    if not summaries:
        return unavailable("no trial has a configuration")
    by_arm = {summary.arm: summary.access_log for summary in summaries}
    variants = {tuple(directives) for directives in by_arm.values()}
    if len(variants) > 1:
        seen = listed((_logged(arm, log) for arm, log in by_arm.items()), "; ")
        text = "access_log differs between arms ({seen}): a log costs CPU, which is part of what they differ in"
        return Finding("warning", say(text, seen=seen), _LOG_ALIKE)
    directives = variants.pop()
    slow = [one for one in directives if one != "off" and "buffer=" not in one]
    if slow or not directives:
        seen = say("access_log is written unbuffered ({slow})", slow=slow[0] if slow else say("the default"))
        return Finding("warning", seen, _BUFFER)
    return passed("access_log {directives} in every arm", directives=listed(directives))


def _logged(arm: str, directives: list[str]) -> Sentence:
    return say("{arm}: {log}", arm=arm, log=listed(directives) if directives else say("default"))


ENVIRONMENT = run_check("environment", _environment, _REPEAT)
ACCESS_LOG = run_check("access-log", _access_log, _LOG_ALIKE, _BUFFER)
