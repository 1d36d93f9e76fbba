"""Whether what a rewrite puts together of its captures stays a clean path, whatever a client asks for.

A client's path is clean when it is matched, but pieces of it need not be: ``(.*)`` of ``^/a(.*)`` is ``../x`` for
``/a../x``, and ``.`` matches no line break, so ``(.*)$`` is ``..`` for a last segment of two dots and a line break.
So each group stands for samples of what it can be at worst, by where it begins and ends in the pattern, and all that
the new path can become of them must be clean. Only patterns of simple parts are understood.
"""

import re
from dataclasses import dataclass
from itertools import product

from ngxlab_contracts.sentences import Sentence, say

MOST_CAPTURES = 3

_FLAGS = re.compile(r"\(\?[is]{1,2}\)")
_LITERAL = r"[A-Za-z0-9_/~!@%&,:=<>\"' -]|\\[./?+*()\[\]^$|{}-]"
_CLASS = r"\\d|\\w|\[(?:A-Z|a-z|0-9|[A-Za-z0-9_])+-?\]"
"""Classes without dots and slashes; of ranges only the usual ones, since that from - to 9 has both."""
_PART = re.compile(
    rf"(?P<group>\((?P<slash>/?)(?P<what>\.|\[\^/\]|{_CLASS})(?P<times>[*+]|\{{\d+(,\d*)?\}})?\))"
    rf"|(?P<free>(\.|\[\^/\]|{_CLASS})[*+?]?)|(?P<literal>{_LITERAL})"
)
_CAPTURE = re.compile(r"\$([1-9])")

EXAMPLE = "(?s)^/old/(.*)$"


@dataclass(frozen=True)
class _Part:
    """One part of a pattern. ``what``: empty for what is not captured. ``text``: of a literal."""

    what: str = ""
    slash: str = ""
    greedy: bool = False
    text: str = ""


def captured_path_problem(pattern: str, path: str) -> Sentence | None:
    """Why ``path``, the part of a rewrite's new path before ``?``, could be unclean; None where it cannot."""
    used = sorted({int(number) for number in _CAPTURE.findall(path)})
    if "$" in _CAPTURE.sub("", path):
        return say("it may have captures ($1) but no variables before its ?")
    groups = _groups(pattern)
    if groups is None:
        return say(
            "captures need a pattern of plain text and groups such as {groups} or {last}, as in {example}",
            groups="(.*), ([^/]+)",
            last=r"(\d+)",
            example=EXAMPLE,
        )
    if len(used) > MOST_CAPTURES or any(number > len(groups) for number in used):
        return say("it may have at most {most} different captures, each of a group of its pattern", most=MOST_CAPTURES)
    for chosen in product(*(groups[number - 1] for number in used)):
        values = dict(zip(used, chosen, strict=True))
        made = _CAPTURE.sub(lambda match: values[int(match[1])], path)  # noqa: B023 — used at once
        if not made.startswith("/") or any(segment in {".", ".."} for segment in made.split("/")):
            return say(
                "it could become {path}: a group must begin behind a / and end before a / or $, and (.*) needs (?s) "
                "in front, as in {example}",
                path=made,
                example=EXAMPLE,
            )
    return None


def _groups(pattern: str) -> list[tuple[str, ...]] | None:
    """The samples of each group; None where the pattern is not understood."""
    flags = _FLAGS.match(pattern)
    dot_is_all = flags is not None and "s" in flags[0]
    rest = pattern[flags.end() :] if flags else pattern
    if not rest.startswith("^"):
        return None
    rest = rest[1:-1] if rest.endswith("$") and not rest.endswith("\\$") else rest[1:]
    parts = _parts(rest)
    if parts is None:
        return None
    samples = []
    for at, part in enumerate(parts):
        if part.what:
            begins = at == 0 or bool(part.slash) or parts[at - 1].text == "/"
            to_the_end = at + 1 == len(parts)
            # Without (?s), a dot stops at a line break; and $ also matches before a last one.
            takes_all = part.greedy and (part.what == "[^/]" or dot_is_all)
            bounded = takes_all if to_the_end else parts[at + 1].text == "/"
            samples.append(_samples(part, first=at == 0, begins=begins, ends=bounded))
    return samples


def _parts(text: str) -> list[_Part] | None:
    parts, at = [], 0
    while at < len(text):
        match = _PART.match(text, at)
        if match is None:
            return None
        at = match.end()
        if match["group"]:
            parts.append(_Part(what=match["what"], slash=match["slash"], greedy=match["times"] in {"*", "+"}))
        elif match["literal"]:
            parts.append(_Part(text=match["literal"].removeprefix("\\")))
        else:
            parts.append(_Part())
        if match["literal"] and text[at : at + 1] in {"*", "+", "?", "{"}:
            return None  # a quantifier makes even a / uncertain
    return parts


def _samples(part: _Part, *, first: bool, begins: bool, ends: bool) -> tuple[str, ...]:
    if part.what not in {".", "[^/]"}:
        return tuple(part.slash + text for text in ("", "x"))
    texts = {"", "x"}
    if part.what == ".":
        texts |= {"x/", "/x", "x/x"} if not first else {"/", "/x", "/x/"}
    if not begins:
        texts |= {".", "..", *(("../x", "./x", "/..", "/.") if part.what == "." else ())}
    if not ends:
        texts |= {".", "..", *(("x/..", "x/.") if part.what == "." else ())}
    if first and part.what == ".":
        texts = {text if text.startswith("/") else f"/{text}" for text in texts}
    return tuple(sorted(part.slash + text for text in texts))
