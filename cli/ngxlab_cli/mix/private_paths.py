"""What of a path may leave the machine: no query, and numbers in the place of whatever looks personal or secret.

The browser strips paths alike (``frontend/src/domain/mix/privatePaths.ts``); ``cli/tests/mixes.json`` holds for both.
"""

import re
from typing import NamedTuple

from ngxlab_cli.secrets import NAME, SHAPES

NUMBER = "{n}"
MOST_SEGMENTS, LONGEST_SEGMENT = 20, 60
_SAFE = re.compile(r"[A-Za-z0-9._!&()*+,:@~=-]+")
"""What a path, an nginx map and a YAML document all hold as it is."""
_ESCAPED = re.compile(r"%([0-9A-Fa-f]{2})|\\x([0-9A-Fa-f]{2})")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_DIGITS = re.compile(r"^\d+$|\d{4}|\d+\.\d+\.\d+\.\d+")
_RUN = re.compile(r"[A-Za-z0-9_+]{5,}")
_KIND = re.compile(
    r"\.(html?|css|m?js|json|xml|txt|jpe?g|png|gif|webp|avif|svg|ico|woff2?|ttf|pdf|mp[34]|webm|zip|gz|php)$"
)
_ABOUT_SOMEBODY = frozenset(
    """
    account accounts activate activation author authors client clients confirm contact contacts customer customers
    email employee employees find friend friends from id invitation invite invites mail member
    members message messages name names patient patients people person phone profile profiles q query recover reset
    search share shared student students to u unsubscribe user users verify who
    """.split()  # noqa: SIM905
)
"""What follows one of these says who, or what somebody looks for."""


class Stripped(NamedTuple):
    """``path``: with ``{n}`` once at most; ``_`` stands for what else was taken out. ``identity``: what the number
    stands for, which never leaves; ``None`` where nothing was taken out."""

    path: str
    identity: str | None
    had_query: bool


def stripped(uri: str) -> Stripped | None:
    """``None``: it is no path of a server."""
    if "://" in uri[:10]:
        uri = "/" + uri.split("://", 1)[1].partition("/")[2]
    if not uri.startswith("/"):
        return None
    whole = re.split(r"[?#]", uri, maxsplit=1)
    segments = [part.split(";", 1)[0] for part in whole[0].split("/")[1:]]
    segments = [part for at, part in enumerate(segments) if part or at == len(segments) - 1]
    kept, last = _kept(segments)
    if last is not None:
        kept[last] = _numbered(segments[last])
    return Stripped("/" + "/".join(kept), None if last is None else "/".join(segments), len(whole) > 1)


def _kept(segments: list[str]) -> tuple[list[str], int | None]:
    """The segments, ``_`` for those that are taken out, and the place of the last of these."""
    kept: list[str] = []
    last = None
    before = ""
    for place, segment in enumerate(segments[:MOST_SEGMENTS]):
        plain = _plain(segment)
        hidden = bool(segment) and is_private(segment, plain, before)
        kept.append("_" if hidden else segment)
        last, before = (place if hidden else last), plain
    if len(segments) > MOST_SEGMENTS:
        kept.append("_")
        last = MOST_SEGMENTS
    return kept, last


def _numbered(segment: str) -> str:
    """``{n}``, with the kind of file."""
    kind = _KIND.search(segment)
    return NUMBER + (kind[0] if kind is not None else "")


def _plain(segment: str) -> str:
    """Without escapes, even where they were escaped again."""
    for _ in range(3):
        plain = _ESCAPED.sub(lambda match: chr(int(match[1] or match[2], 16)), segment)
        if plain == segment:
            break
        segment = plain
    return segment


def is_private(segment: str, plain: str, before: str) -> bool:
    """Whether a segment looks personal or secret: an address, a number, a token, or what a word before it names.

    ``plain``: the segment without escapes; ``before``: the segment before it, likewise.
    """
    if len(plain) > LONGEST_SEGMENT or not _SAFE.fullmatch(segment) or plain in {".", ".."}:
        return True
    if "@" in plain or "=" in plain or plain.startswith("~") or plain.count(":") > 1:
        return True
    if before.lower() in _ABOUT_SOMEBODY or NAME.search(before):
        return True
    named = NAME.search(plain)
    if named is not None and named.end() < len(plain):
        return True
    if _DIGITS.search(plain) or _UUID.search(plain) or any(shape.sub(put, plain) != plain for shape, put in SHAPES):
        return True
    return any(_is_token(run) for run in _RUN.findall(plain))


def _is_token(run: str) -> bool:
    """Letters and digits as no word has them."""
    has_digit, has_letter = bool(re.search(r"\d", run)), bool(re.search(r"[A-Za-z]", run))
    if has_digit and has_letter and (len(run) >= 10 or bool(re.search(r"[A-Z]", run))):
        return True
    changes = len(re.findall(r"\d(?=[A-Za-z])|[A-Za-z](?=\d)", run))
    return changes > 2 or len(re.findall(r"[a-z](?=[A-Z])", run)) > 3 or len(run) >= 20
