"""Parse nginx configuration text exactly as nginx does, without reading a file.

The tokens follow ``ngx_conf_read_token`` in nginx's ``src/core/ngx_conf_file.c``. crossplane's own lexer differs in
places that matter to an allow-list (``${a;include b;}`` is one word to it and two directives to nginx), so only
crossplane's knowledge of directives is used, in :mod:`ngxlab_policy.fragments`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from ngxlab_contracts.sentences import Sentence, say

_BLANK = frozenset(" \t\r\n")
_ESCAPES = {'"': '"', "'": "'", "\\": "\\", "t": "\t", "r": "\r", "n": "\n"}
_MAX_DEPTH = 30


class ConfigSyntaxError(ValueError):
    """The text is not a sequence of complete directives. ``line`` counts from 1."""

    def __init__(self, line: int, message: Sentence) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


@dataclass(frozen=True)
class Directive:
    """``block`` is None for a simple directive. ``line`` is the line of its name."""

    name: str
    args: tuple[str, ...]
    line: int
    block: tuple["Directive", ...] | None


Ending = Literal[";", "{", "}", ""]
"""The end of a statement: ``;``, the opening of a block, the closing of the surrounding one, or the end of the text."""


@dataclass(frozen=True)
class _Statement:
    words: tuple[str, ...]
    line: int
    ending: Ending


LuaReader = Callable[[str, int], tuple[str, int] | None]
"""As :func:`ngxlab_policy.lua.recognise`."""


def no_lua(_text: str, _begin: int) -> None:
    """Recognises nothing."""


def parse(text: str, lua: LuaReader = no_lua) -> tuple[Directive, ...]:
    """The directives of a text, which must close every block that it opens. Raises ConfigSyntaxError.

    A block of Lua that ``lua`` recognises becomes a directive whose argument is the code's name.
    """
    directives, closed_at = _parse_block(_statements(text, lua), 0, 1)
    if closed_at is not None:
        raise ConfigSyntaxError(closed_at, say('this "{sign}" closes a block that was not opened here', sign="}"))
    return directives


def _parse_block(
    statements: Iterator[_Statement], depth: int, opened_at: int
) -> tuple[tuple[Directive, ...], int | None]:
    """The directives up to the closing brace or the end of the text, and the line of that brace."""
    if depth > _MAX_DEPTH:
        raise ConfigSyntaxError(opened_at, say("blocks are nested more than {most} deep", most=_MAX_DEPTH))
    directives: list[Directive] = []
    for statement in statements:
        if statement.ending == "}":
            return tuple(directives), statement.line
        name, args = statement.words[0], statement.words[1:]
        block = None
        if statement.ending == "{":
            block, closed_at = _parse_block(statements, depth + 1, statement.line)
            if closed_at is None:
                message = say('the block of {directive} is not closed: a "{sign}" is missing', directive=name, sign="}")
                raise ConfigSyntaxError(statement.line, message)
        directives.append(Directive(name, args, statement.line, block))
    return tuple(directives), None


def _statements(text: str, lua: LuaReader) -> Iterator[_Statement]:
    reader = _Reader(text)
    while (statement := reader.next_statement()).ending:
        if statement.ending == "{" and statement.words[0].endswith("_by_lua_block"):
            statement = reader.lua_block(statement, lua)
        yield statement


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1

    def _peek(self) -> str:
        return self._text[self._at] if self._at < len(self._text) else ""

    def _take(self) -> str:
        char = self._peek()
        self._at += 1
        self._line += char == "\n"
        return char

    def next_statement(self) -> _Statement:
        """The next words with their ending; ``""`` at the end of the text. Raises ConfigSyntaxError."""
        words: list[str] = []
        line = self._line
        while True:
            self._skip_blanks_and_comments()
            char = self._peek()
            if not words:
                line = self._line
            if char == "":
                if words:
                    message = say('{directive} does not end: a ";" is missing', directive=words[0])
                    raise ConfigSyntaxError(line, message)
                return _Statement((), line, "")
            if char == "}":
                if words:
                    message = say(
                        'unexpected "{sign}": {directive} does not end with ";"', sign="}", directive=words[0]
                    )
                    raise ConfigSyntaxError(self._line, message)
                self._take()
                return _Statement((), line, "}")
            if char in ";{":
                if not words:
                    raise ConfigSyntaxError(self._line, say('unexpected "{sign}"', sign=char))
                self._take()
                return _Statement(tuple(words), line, "{" if char == "{" else ";")
            words.append(self._quoted_word() if char in "\"'" else self._plain_word())

    def lua_block(self, opening: _Statement, lua: LuaReader) -> _Statement:
        """Read the code that nginx hands to Lua as it is. Raises ConfigSyntaxError unless ``lua`` recognises it."""
        name = opening.words[0]
        known = lua(self._text, self._at) if len(opening.words) == 1 else None
        if known is None:
            message = say("{directive} is not allowed: only built-in parts may run Lua", directive=name)
            raise ConfigSyntaxError(opening.line, message)
        code, end = known
        self._line += self._text.count("\n", self._at, end)
        self._at = end
        return _Statement((name, code), opening.line, ";")

    def _skip_blanks_and_comments(self) -> None:
        while (char := self._peek()) and (char in _BLANK or char == "#"):
            self._take()
            while char == "#" and self._peek() not in {"\n", ""}:
                self._take()

    def _plain_word(self) -> str:
        """Up to a blank, ``;`` or ``{``. A brace after ``$`` belongs to a variable, ``}`` and quotes to the word."""
        start, is_variable = self._at, False
        while (char := self._peek()) and ((char not in _BLANK and char not in ";{") or (char == "{" and is_variable)):
            self._take()
            if char == "\\":
                self._take()
            is_variable = char == "$" or (char == "{" and is_variable)
        return _unescaped(self._text[start : self._at])

    def _quoted_word(self) -> str:
        opened_at, quote = self._line, self._take()
        start = self._at
        while (char := self._take()) != quote:
            if char == "\\":
                char = self._take()
            if char == "":
                raise ConfigSyntaxError(opened_at, say("the string after {quote} is not closed", quote=quote))
        word = _unescaped(self._text[start : self._at - 1])
        follows = self._peek()
        if follows == ")":
            return word  # for nginx, a closing parenthesis starts the next word
        if follows and follows not in _BLANK and follows not in ";{":
            message = say('unexpected "{sign}" after a closing {quote}', sign=follows, quote=quote)
            raise ConfigSyntaxError(self._line, message)
        return word


def _unescaped(raw: str) -> str:
    pieces, at = [], 0
    while at < len(raw):
        if raw[at] == "\\" and raw[at + 1 : at + 2] in _ESCAPES:
            pieces.append(_ESCAPES[raw[at + 1]])
            at += 2
        else:
            pieces.append(raw[at])
            at += 1
    return "".join(pieces)
