"""The picture that a chat shows of a link: what was asked, and how it was answered. Pure."""

import io
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont
from pydantic import BaseModel

from ngxlab.analysis.schemas import Answer
from ngxlab.compare.schemas import RunComparison
from ngxlab.reports.schemas import Report
from ngxlab.trends.schemas import Trends

WIDTH, HEIGHT = 1200, 630
"""What chats and search engines ask for."""
_MARGIN, _MOST_ROWS = 56, 4
_INK, _DIM, _PAPER, _LINE = "#17191c", "#62676f", "#ffffff", "#d4d6da"
_COLOURS = {"yes": "#007a5a", "no": "#b4231a"}
_SHADES = 32
_INSTEAD = {"→": "->", "\u2212": "-", "×": "x", "≥": ">=", "≤": "<="}
_UNKNOWN = "\uffff"

_Font = ImageFont.FreeTypeFont | ImageFont.ImageFont


class Row(NamedTuple):
    """A question with its answer; ``sign`` gives it its colour."""

    sign: str
    question: str
    answer: str


class Card(NamedTuple):
    title: str
    rows: Sequence[Row]
    below: str


def card(title: str, content: BaseModel) -> Card:
    """``content``: as a link shows it."""
    if isinstance(content, Report):
        arms = [_named(arm.label, is_baseline=arm.is_baseline) for arm in content.analysis.arms]
        return Card(title, _rows(content.analysis.answers), " · ".join(arms))
    if isinstance(content, RunComparison):
        bases = {arm.against for arm in content.arms}
        chosen = [_named(arm.name, is_baseline=arm.key in bases) for arm in content.arms if arm.selected]
        return Card(title, _rows(content.analysis.answers), " · ".join(chosen))
    if isinstance(content, Trends) and (latest := content.latest) is not None:
        rows = [Row("", f"Is run #{latest.run} different from those before?", latest.word)]
        return Card(title, rows, f"{len(content.runs)} runs")
    return Card(title, [], "")


def _named(label: str, *, is_baseline: bool) -> str:
    return f"{label} (baseline)" if is_baseline else label


def _rows(answers: Sequence[Answer]) -> list[Row]:
    return [Row(one.sign, one.question, ": ".join(part for part in (one.word, one.text) if part)) for one in answers]


def png(shown: Card) -> bytes:
    """The card as a PNG of :data:`WIDTH` by :data:`HEIGHT`."""
    image = Image.new("RGB", (WIDTH, HEIGHT), _PAPER)
    draw = ImageDraw.Draw(image)
    y = _MARGIN
    for line in _wrapped(_plain(shown.title), 44, lines=2):
        draw.text((_MARGIN, y), line, fill=_INK, font=_font(44))
        y += 54
    y += 16
    for row in shown.rows[:_MOST_ROWS]:
        y = _draw_row(draw, row, y)
    _draw_foot(draw, shown)
    file = io.BytesIO()
    image.quantize(_SHADES).save(file, "PNG", optimize=True)
    return file.getvalue()


def _draw_row(draw: ImageDraw.ImageDraw, row: Row, y: int) -> int:
    """Returns where the next one begins."""
    draw.rectangle((_MARGIN, y + 4, _MARGIN + 6, y + 72), fill=_COLOURS.get(row.sign, _LINE))
    (question,) = _wrapped(_plain(row.question), 26, lines=1, indent=24)
    draw.text((_MARGIN + 24, y), question, fill=_DIM, font=_font(26))
    (answer,) = _wrapped(_plain(row.answer), 34, lines=1, indent=24)
    draw.text((_MARGIN + 24, y + 34), answer, fill=_COLOURS.get(row.sign, _INK), font=_font(34))
    return y + 86


def _draw_foot(draw: ImageDraw.ImageDraw, shown: Card) -> None:
    y = HEIGHT - _MARGIN - 20
    draw.line((_MARGIN, y - 20, WIDTH - _MARGIN, y - 20), fill=_LINE, width=2)
    brand = "ngxlab"
    room = int(_font(26).getlength(brand)) + 40
    for line in _wrapped(_plain(shown.below), 26, lines=1, indent=room):
        draw.text((_MARGIN, y), line, fill=_DIM, font=_font(26))
    draw.text((WIDTH - _MARGIN, y), brand, fill=_INK, font=_font(26), anchor="ra")


@lru_cache(16)
def _font(size: int) -> _Font:
    """A font that servers commonly have, else the library's own, which knows little more than ASCII."""
    try:
        return ImageFont.truetype("DejaVuSans.ttf", size)
    except OSError:
        return ImageFont.load_default(size)


def _plain(text: str) -> str:
    """The text without marks of code, in signs that the font has."""
    return "".join(_sign(character) for character in " ".join(text.replace("`", "").split()))


@lru_cache(4096)
def _sign(character: str) -> str:
    if character.isascii() or _is_known(character):
        return character
    similar = _INSTEAD.get(character) or unicodedata.normalize("NFKD", character)
    return "".join(one for one in similar if one.isascii() and one.isprintable()) or "?"


def _is_known(character: str) -> bool:
    own, unknown = (bytes(_font(20).getmask(one)) for one in (character, _UNKNOWN))
    return own != unknown


def _wrapped(text: str, size: int, *, lines: int, indent: int = 0) -> list[str]:
    """Lines that fit; the last ends with … where something is left out."""
    font, room = _font(size), WIDTH - 2 * _MARGIN - indent
    found = list(_broken(text, font, room, lines))
    if len(found) <= lines:
        return found or [""]
    last = found[lines - 1]
    while last and font.getlength(f"{last}…") > room:
        last = last[:-1]
    return [*found[: lines - 1], f"{last.rstrip()}…"]


def _broken(text: str, font: _Font, room: int, most: int) -> Iterator[str]:
    """Lines of the text, at most one more than ``most``. A word that is too long is broken anywhere."""
    words, line = text.split()[:200], ""
    for _ in range(most + 1):
        line = ""
        while words and font.getlength(f"{line} {words[0]}".strip()) <= room:
            line = f"{line} {words.pop(0)}".strip()
        if not line and words:
            line = words[0]
            while font.getlength(line) > room:
                line = line[:-1]
            words[0] = words[0][len(line) :]
        if not line:
            return
        yield line
