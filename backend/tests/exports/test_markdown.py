"""Texts of people and hosts in Markdown: shown as they are, whatever they look like."""

import pytest
from ngxlab.exports.markdown import _text


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
