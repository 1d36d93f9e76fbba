"""Texts of people and hosts in Markdown: shown as they are, whatever they look like."""

from types import SimpleNamespace
from typing import Any

import pytest
from ngxlab.analysis.phases import Part
from ngxlab.analysis.schemas import Why, WhyEvidence
from ngxlab.exports.markdown import _phases, _text, _why
from ngxlab.profiles.schemas import ArmPhasesOut, PhaseOut
from ngxlab_contracts.sentences import fixed, say


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Does `accept_mutex` help?", "Does `accept_mutex` help?"),
        ("a | b\n# c", r"a \| b \# c"),
        ("`a|b`", r"`a\|b`"),
        ("<script>x</script> [a](b)", r"\<script\>x\</script\> \[a\](b)"),
        ("one ` alone_", r"one \` alone\_"),
    ],
)
def test_a_text_is_one_line_without_effect(text: str, shown: str) -> None:
    assert _text(text) == shown


def phase(name: Part, mean_ms: float, difference_ms: float | None, *, claimed: bool = False) -> PhaseOut:
    return PhaseOut(
        phase=name, mean_ms=mean_ms, p50_ms=mean_ms, p99_ms=2 * mean_ms, difference_ms=difference_ms,
        low_ms=None if difference_ms is None else difference_ms - 0.5,
        high_ms=None if difference_ms is None else difference_ms + 0.5, claimed=claimed,
    )  # fmt: skip


def test_where_the_time_of_requests_goes_is_a_table() -> None:
    report: Any = SimpleNamespace(arms=[SimpleNamespace(key="b", label="plain"), SimpleNamespace(key="a", label="a|b")])
    rows: dict[str, list[tuple[Part, float, float | None]]] = {
        "b": [("first_byte", 20.0, None), ("whole", 23.0, None)],
        "a": [("first_byte", 40.0, 20.0)],
    }
    told = [
        ArmPhasesOut(
            arm_key=key, against=None, trials=2, requests=1_000, sentence=None,
            phases=[phase(name, mean, by, claimed=by is not None) for name, mean, by in parts],
        )
        for key, parts in rows.items()
    ]  # fmt: skip
    *_, table = _phases(report, told)
    head, _, plain, late = table.splitlines()
    assert head == "| Arm | Requests | Upstream's first byte | Whole request |"
    assert plain == "| plain | 1,000 | 20, p99 40 | 23, p99 46 |"
    assert late == r"| a\|b | 1,000 | 40, p99 80, **+20.00 (+19.50 to +20.50)** | – |"
    assert list(_phases(report, [])) == []


def test_why_says_what_it_is_said_of_and_how_to_know_more() -> None:
    def why(found: str, text: str) -> Why:
        pieces = [WhyEvidence(kind="function", key="deflate", text=say("deflate: +412.0 µs a request"))]
        return Why(arm="a", metrics=["requests_per_s"], found=found, text=fixed(text), evidence=pieces)

    infos = [SimpleNamespace(key="requests_per_s", title="Requests per second")]
    report: Any = SimpleNamespace(
        run=SimpleNamespace(id="0b5"),
        analysis=SimpleNamespace(metrics=infos),
        why=[why("cause", "Why: it is deflate.")],
    )
    assert list(_why(report)) == ["Requests per second. Why: it is deflate.", "deflate: +412.0 µs a request"]
    report.why = [why("not_profiled", "`a` goes with: load.")]
    assert list(_why(report)) == [
        "Requests per second. `a` goes with: load.",
        "What causes it was not looked for: that takes two profiles of each arm (`ngxlab profile 0b5`).",
    ]
