"""Whether pages can say a message in other languages."""

import re
from collections.abc import Iterator
from pathlib import Path

from ngxlab_contracts.sentences import Sentence

_LISTS = Path(__file__).parents[3] / "frontend" / "src" / "api" / "texts"
_TEXT = re.compile(r"^  msg`(.*)`,$", re.MULTILINE)
_LISTED = frozenset(
    re.sub(r"\\(.)", r"\1", text) for path in sorted(_LISTS.glob("*.ts")) for text in _TEXT.findall(path.read_text())
)
"""What translators are given."""


def unlisted(message: str) -> Iterator[str]:
    """The templates in it that are in no list for translators; the message itself where it is bare prose."""
    if not isinstance(message, Sentence) or message.template is None:
        yield message
        return
    if re.search(r"[^\W\d_]", re.sub(r"\{\w+\}", "", message.template)) and message.template.strip() not in _LISTED:
        yield message.template
    for value in message.values.values():
        if isinstance(value, Sentence):
            yield from unlisted(value)
