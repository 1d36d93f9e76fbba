"""What a job is told of a run: a conclusion, a line, Markdown and JUnit."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from xml.etree import ElementTree as Xml

from ngxlab_cli.ci.forges import MOST_CHARACTERS, Conclusion
from ngxlab_cli.errors import Exit
from ngxlab_cli.models import Report

_WORSE, _BETTER, _EQUIVALENT = "worse", "better", "equivalent"
_OPEN = {None, "undecided", "not_valid"}
_TITLES = {
    Exit.OK: "Nothing is shown to be worse",
    Exit.THRESHOLD_FAILED: "A threshold does not hold",
    Exit.UNDECIDED: "Not decided: the intervals leave a threshold open",
    Exit.NOT_VALID: "Not valid: an error of a check voids the results",
    Exit.RUN_FAILED: "The run came to no end",
}
_NEUTRAL = frozenset({Exit.UNDECIDED, Exit.NOT_VALID, Exit.NOT_COMPARED})
_SUITE = "ngxlab"
_LEAST_BLOCKS = 2
"""One has no interval, and so says nothing."""
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Case:
    """A line of JUnit. ``failed``: why it fails; ``skipped``: why it says nothing."""

    name: str
    text: str = ""
    failed: str | None = None
    skipped: str | None = None


@dataclass(frozen=True)
class Outcome:
    """``text``: Markdown."""

    code: Exit
    title: str
    text: str
    url: str | None = None
    cases: Sequence[Case] = field(default_factory=list)

    @property
    def conclusion(self) -> Conclusion:
        if self.code == Exit.OK:
            return "success"
        return "neutral" if self.code in _NEUTRAL else "failure"


def judged(ended: Exit, report: Report) -> tuple[Exit, str]:
    """The code and the title. ``ended``: by the run's state and its thresholds. A claim that the change is worse fails,
    too; where another says that it is better, somebody has to weigh them."""
    found = {one.verdict for one in report.analysis.statements}
    if ended not in {Exit.OK, Exit.UNDECIDED}:
        return ended, _TITLES[ended]
    if _WORSE in found:
        if _BETTER in found:
            return Exit.UNDECIDED, "A trade-off: better in one metric, worse in another"
        return Exit.THRESHOLD_FAILED, "The change is worse"
    if ended == Exit.OK and any(arm.usable_trials < _LEAST_BLOCKS for arm in report.analysis.arms):
        return Exit.UNDECIDED, "Not decided: no two blocks to compare"
    if ended == Exit.OK and _BETTER in found:
        return ended, "The change is better"
    if ended == Exit.OK and found == {_EQUIVALENT}:
        return ended, "The change is equivalent"
    return ended, _TITLES[ended]


def cases_of(report: Report) -> Iterator[Case]:
    """Each claim, and each threshold."""
    for one in report.analysis.statements:
        failed = one.text if one.verdict == _WORSE else None
        open_ = one.text if one.verdict in _OPEN else None
        yield Case(f"{one.metric}: {one.arm}", one.text, failed=failed, skipped=open_)
    for threshold in report.thresholds:
        yield Case(
            f"{threshold.text}: {threshold.arm}",
            threshold.message,
            failed=threshold.message if threshold.outcome == "fail" else None,
            skipped=threshold.message if threshold.outcome in {"undecided", "not_valid"} else None,
        )


def table(report: Report) -> str:
    """The questions with their answers, then the thresholds, as a table of Markdown; empty without any."""
    rows = [(one.question, one.word, one.text) for one in report.analysis.answers or []]
    rows += [(f"`{one.text}`", one.outcome.replace("_", " "), one.message) for one in report.thresholds]
    if not rows:
        return ""
    lines = (" | ".join(_cell(part) for part in row) for row in rows)
    return "\n".join(["| | | |", "|---|---|---|", *(f"| {line} |" for line in lines)])


def _cell(text: str) -> str:
    return " ".join(str(text).split()).replace("|", "\\|")


def marked(mark: str, outcome: Outcome) -> str:
    """The text as a comment has it: what is too long for a forge ends early, and says so."""
    text = f"{mark}\n### {outcome.title}\n\n{outcome.text}"
    if len(text) <= MOST_CHARACTERS:
        return text
    return f"{text[:MOST_CHARACTERS].rpartition(chr(10))[0]}\n\n…"


def junit(outcome: Outcome) -> str:
    """A suite that CI servers read. Where no case says what the outcome is, it has one that does."""
    cases = list(outcome.cases)
    if not cases or (outcome.conclusion == "failure" and all(case.failed is None for case in cases)):
        cases.append(_only_case(outcome))
    suite = Xml.Element("testsuite", name=_SUITE, tests=str(len(cases)))
    suite.set("failures", str(sum(case.failed is not None for case in cases)))
    suite.set("skipped", str(sum(case.failed is None and case.skipped is not None for case in cases)))
    for case in cases:
        one = Xml.SubElement(suite, "testcase", classname=_SUITE, name=_plain(case.name))
        if case.failed is not None:
            Xml.SubElement(one, "failure", message=_plain(case.failed))
        elif case.skipped is not None:
            Xml.SubElement(one, "skipped", message=_plain(case.skipped))
        if case.text:
            Xml.SubElement(one, "system-out").text = _plain(case.text)
    return Xml.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _only_case(outcome: Outcome) -> Case:
    if outcome.conclusion == "failure":
        return Case("comparison", failed=outcome.title)
    return Case("comparison", skipped=outcome.title)


def _plain(text: str) -> str:
    """Without characters that XML cannot have."""
    return _NO_XML.sub("", str(text))
