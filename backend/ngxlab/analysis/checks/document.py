"""The part of docs/checks.md that says what each check does, made from the checks' own declarations.

``python -m ngxlab.analysis.checks.document docs/checks.md`` writes it anew between the file's markers.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from ngxlab.analysis.checks import declarations
from ngxlab.analysis.checks.check import GRAVITY, Declaration

BEGIN = "<!-- begin: written by `python -m ngxlab.analysis.checks.document docs/checks.md` -->"
END = "<!-- end -->"


def updated(document: str) -> str:
    """``document`` with the part between the markers made anew. Raises ValueError without the markers."""
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the document needs a line {BEGIN} and, after it, a line {END}")
    checks = declarations()
    sections = "\n".join(_section(check) for check in checks)
    return f"{before}{begin}\n\n{_table(checks)}\n{sections}\n{_tests(checks)}\n{end}{after}"


def _table(checks: Sequence[Declaration]) -> str:
    columns = ((check.number or "", f"[`{check.key}`](#{check.key})", check.title, check.failed) for check in checks)
    rows = [
        f"| {' | '.join(map(str, row))} | {_severities(check)} |" for check, row in zip(checks, columns, strict=True)
    ]
    return "\n".join(["| number | key | a pass means | else | severity |", "|---|---|---|---|---|", *rows, ""])


def _section(check: Declaration) -> str:
    number = f"Check {check.number}. " if check.number else ""
    lines = [
        f"### {check.key}",
        "",
        f"{number}{check.title}; else: {check.failed}.",
        "",
        f"- **Rule:** {check.rule}",
        f"- **Data:** {check.data}",
        f"- **Severity:** {_severities(check)}.",
        f"- **Voids:** {check.voids}",
        _remedy(check.remedies),
        f"- **Source:** {check.source}",
        "",
    ]
    return "\n".join(lines)


_HOW_TESTED = """\
## How the checks are tested

Every rule has tests on constructed records, with its silence on those of a healthy trial, and so has what an error
voids. Most results are also provoked in real trials (`worker/tests/checks`, `worker/tests/fleet`): an agent runs nginx
and a generator while a test puts in a fault. A test that the machine does not allow is skipped, with the reason.

A check must not fire for what is asked. The questions that people ask of nginx most (keep-alive to upstream servers,
gzip, TLS, `sendfile`, `open_file_cache`, caches, `limit_req`, workers, HTTP/2, logs, `proxy_buffering`, `reuseport`)
are asked of a real nginx, most of them by the recipes, and no trial and no comparison of theirs may be void
(`worker/tests/checks/test_questions.py`, `test_recipes.py`).

| check | result | in a real trial | the fault; or why only constructed records show it |
|---|---|---|---|"""


def _tests(checks: Sequence[Declaration]) -> str:
    lines = [_HOW_TESTED]
    for check in checks:
        for severity in (one for one in reversed(GRAVITY) if one in check.results):
            how, real = check.results[severity]
            lines.append(f"| `{check.key}` | {severity} | {real} | {how} |")
    return "\n".join([*lines, ""])


def _severities(check: Declaration) -> str:
    return ", ".join(severity for severity in reversed(GRAVITY) if severity in check.results)


def _remedy(remedies: Sequence[str]) -> str:
    sentences = [f"{remedy[:1].upper()}{remedy[1:]}." for remedy in remedies]
    if len(sentences) == 1:
        return f"- **Remedy:** {sentences[0]}"
    return "\n".join(["- **Remedy**, depending on the message:", *(f"  - {one}" for one in sentences)])


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(updated(path.read_text()))
