"""The sentences that the server composes, as templates: read from its own f-strings.

``f"{count} of {len(trials)} trials {'were' if count != 1 else 'was'} late"`` gives two: ``{0} of {1} trials were late``
and the same with ``was``. A page finds the template of a sentence again, and says it in its reader's language
(``frontend/src/lib/language/composed.ts``): no sentence carries its template, and those of old reports are found, too.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import chain, count, product
from pathlib import Path

PLACE = re.compile(r"\{\d+\}")
_VALUE = "\0"
_FOREIGN = re.compile(r"[{}\\]")
"""In texts for programs: in a message, a brace would be the place of a value."""
_WORDS = re.compile(r"[a-z]+[,:;]? [a-z]+")
_WORD = re.compile(r"\b[A-Za-z]{2,}\b")
_UNSAID = frozenset({"rule", "data", "voids", "source", "description"})
"""What documents say, not pages: arguments of these names."""
_QUOTED = re.compile(r"`[^`]*`")


def templates(paths: Iterable[Path]) -> Iterator[str]:
    """Of these files and folders: sentences with values as ``{0}``, ``{1}``, and those of several words without any."""
    for path in paths:
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            yield from filter(None, map(_template, _texts(ast.parse(file.read_text()))))


def _template(text: str) -> str | None:
    """``None`` for what says nothing, and for a text with braces of its own."""
    said = _QUOTED.sub("", text.replace(_VALUE, "."))
    if _FOREIGN.search(text) or not (_WORD if _VALUE in text else _WORDS).search(said):
        return None
    numbers = count()
    return re.sub(_VALUE, lambda _: f"{{{next(numbers)}}}", text).strip()


def _texts(node: ast.AST) -> Iterator[str]:
    """Of all expressions below that make a text, and of those that give one of its values."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return  # a docstring
    if isinstance(node, ast.keyword) and node.arg in _UNSAID:
        return
    inner: Iterable[ast.AST] = ast.iter_child_nodes(node)
    if isinstance(node, ast.expr) and (made := _made_by(node)) != [_VALUE]:
        yield from made
        inner = _values(node)
    for one in inner:
        yield from _texts(one)


def _made_by(node: ast.expr) -> list[str]:
    """One text for each way through its conditions."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr(values=parts):
            return ["".join(way) for way in product(*map(_made_by, parts))]
        case ast.FormattedValue(value=ast.IfExp() as choice):
            return _made_by(choice)
        case ast.IfExp(body=one, orelse=other):
            return [*_made_by(one), *(text for text in _made_by(other) if text not in _made_by(one))]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return ["".join(way) for way in product(_made_by(left), _made_by(right))]
    return [_VALUE]


def _values(node: ast.expr) -> Iterator[ast.expr]:
    """What a text has values from."""
    match node:
        case ast.Constant():
            return
        case ast.JoinedStr(values=parts):
            yield from chain.from_iterable(map(_values, parts))
        case ast.FormattedValue(value=value):
            yield from _values(value) if isinstance(value, ast.IfExp) else (value,)
        case ast.IfExp(body=one, orelse=other) | ast.BinOp(left=one, op=ast.Add(), right=other):
            yield from (*_values(one), *_values(other))
        case _:
            yield node
