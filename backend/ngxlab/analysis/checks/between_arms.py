"""Rules that compare trials: what may differ between arms is what the experiment changes, and nothing else."""

from ngxlab.analysis.checks.check import Finding, passed, unavailable
from ngxlab.analysis.schemas import TrialSummary


def environments(summaries: list[TrialSummary]) -> Finding:
    known = [summary.environment for summary in summaries if summary.environment]
    if not known or len(known) < len(summaries):
        return unavailable("the environment of some trials was not recorded")
    keys = sorted(set().union(*known))
    differing = [key for key in keys if len({facts.get(key) for facts in known}) > 1]
    if differing:
        first = differing[0]
        values = " and ".join(sorted({str(facts.get(first, "absent")) for facts in known}))
        message = f"{len(differing)} properties of the host changed between trials, e.g. {first}: {values}"
        return Finding("error", message, "repeat the run without changing the host under it")
    return passed(f"all {len(keys)} recorded properties are the same in every trial")


def access_logs(summaries: list[TrialSummary]) -> Finding:
    """By configuration. Without any directive nginx logs to its default file, unbuffered."""
    if not summaries:
        return unavailable("no trial has a configuration")
    by_arm = {summary.arm: summary.access_log for summary in summaries}
    settings = {tuple(directives) for directives in by_arm.values()}
    if len(settings) > 1:
        seen = "; ".join(f"{arm}: {', '.join(log) or 'default'}" for arm, log in by_arm.items())
        return Finding("error", f"access_log differs between arms ({seen})", "log alike in every arm")
    directives = settings.pop()
    slow = [one for one in directives if one != "off" and "buffer=" not in one]
    if slow or not directives:
        seen = f"access_log is written unbuffered ({slow[0] if slow else 'the default'})"
        return Finding(
            "warning", seen, "use access_log off, or buffer=64k flush=1s; unbuffered costs about a fifth more CPU"
        )
    return passed(f"access_log {', '.join(directives)} in every arm")
