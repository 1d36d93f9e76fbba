"""An nginx configuration as people hand it over: its files, with ``include`` resolved among them, as statements."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import takewhile
from pathlib import PurePosixPath

from ngxlab_contracts.sentences import say
from ngxlab_policy.syntax import ConfigSyntaxError, Directive, parse

from ngxlab.configurations.known import KNOWN_FILES
from ngxlab.configurations.made import quoted
from ngxlab.configurations.records import Record
from ngxlab.core.errors import Invalid

MOST_STATEMENTS = 20_000
_MOST_INCLUDES = 20
_DUMPED = re.compile(r"^# configuration file (.+):$", re.MULTILINE)
_LUA = re.compile(r"^([^#\n]*?\w+_by_lua_block\b[^;{}\n]*)\{", re.MULTILINE)
_HTTP = frozenset({"server", "upstream", "map", "log_format", "limit_req_zone", "proxy_cache_path", "geo"})


@dataclass(frozen=True)
class Statement:
    """``block`` None: it ends with ``;``. ``record``: what is said of its line."""

    name: str
    args: tuple[str, ...]
    block: tuple["Statement", ...] | None
    record: Record

    @property
    def words(self) -> str:
        return " ".join((self.name, *self.args))


def read(files: Mapping[str, str]) -> tuple[list[Statement], list[Record]]:
    """The statements as nginx would see them, and the record of every line that has one, in order.

    ``files``: texts by path; the first is the one that nginx is started with, or the output of ``nginx -T``. Raises
    Invalid, with the file and the line, for what nginx could not read either.
    """
    texts = _split(files)
    reader = _Reader(texts)
    main = next(iter(texts))
    statements = _rooted(list(reader.statements(main, ())))
    return statements, reader.records


def _split(files: Mapping[str, str]) -> dict[str, str]:
    """The output of ``nginx -T`` as the files that it lists."""
    texts: dict[str, str] = {}
    for path, text in files.items():
        head, *pieces = _DUMPED.split(text.removeprefix("\ufeff").replace("\r\n", "\n"))
        if not pieces:
            texts[path] = head
        for name, content in zip(pieces[::2], pieces[1::2], strict=True):
            texts.setdefault(name, content.removeprefix("\n"))
    return texts


class _Reader:
    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self.records: list[Record] = []

    def statements(self, path: str, within: tuple[str, ...]) -> Iterator[Statement]:
        """``within``: the files whose ``include`` led here."""
        try:
            directives = parse(_without_lua(self._texts[path]))
        except ConfigSyntaxError as error:
            raise Invalid(
                "{path}, line {line}: {message}",
                path=path,
                line=error.line,
                message=error.message,
                code="unreadable-configuration",
            ) from error
        yield from self._read(directives, path, (*within, path))

    def _read(self, directives: Sequence[Directive], path: str, within: tuple[str, ...]) -> Iterator[Statement]:
        for one in directives:
            record = Record(path, one.line, _written(one))
            if len(self.records) >= MOST_STATEMENTS:
                raise Invalid("The configuration has more than {most:,} directives.", most=MOST_STATEMENTS)
            self.records.append(record)
            if one.name == "include" and one.block is None and one.args:
                yield from self._included(record, one.args[0], within)
                continue
            block = one.block
            inner = None if block is None else tuple(self._read(block, path, within))
            yield Statement(one.name, one.args, inner, record)

    def _included(self, record: Record, pattern: str, within: tuple[str, ...]) -> Iterator[Statement]:
        found = [path for path in matching(pattern, self._texts, within[-1]) if path not in within]
        if found and len(within) <= _MOST_INCLUDES:
            record.replace(say("the contents of {files} stand here", files=", ".join(found)))
            for path in found:
                yield from self.statements(path, within)
        elif (name := PurePosixPath(pattern).name) in KNOWN_FILES:
            record.replace(say("the contents of nginx's own {name} stand here", name=name))
            for one in parse(KNOWN_FILES[name]):
                yield _of(record, one)
        else:
            record.drop(say("no file that was given is {pattern}", pattern=pattern))


def _written(one: Directive) -> str:
    """As the list of lines shows it; of code, whose block is not read, only that there is some."""
    if one.name.endswith("_by_lua_block"):
        return f"{one.name} {{ … }}"
    return " ".join(map(quoted, (one.name, *one.args)))


def _of(record: Record, one: Directive) -> Statement:
    block = None if one.block is None else tuple(_of(record, inner) for inner in one.block)
    return Statement(one.name, one.args, block, record)


def matching(pattern: str, paths: Iterable[str], beside: str = "") -> list[str]:
    """The given files that an ``include`` means. A folder in front may differ: ``/etc/nginx/conf.d/*.conf`` means
    ``conf.d/a.conf``, too, if no file fits better; of several with one name it is the nearest to ``beside``."""
    wanted = [part for part in pattern.split("/") if part not in {"", "."}]
    if not wanted:
        return []
    fewest = 2 if any(sign in wanted[-1] for sign in "*?[") and len(wanted) > 1 else 1
    for skipped in range(len(wanted) - fewest + 1):
        if found := sorted(path for path in paths if _ends_with(path, wanted[skipped:])):
            one_is_meant = not any(sign in pattern for sign in "*?[")
            return [max(found, key=lambda path: _shared(path, beside))] if one_is_meant else found
    return []


def _shared(one: str, other: str) -> int:
    """How many folders from the top two paths have in common."""
    pairs = zip(one.split("/"), other.split("/"), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _ends_with(path: str, wanted: Sequence[str]) -> bool:
    parts = [part for part in path.split("/") if part]
    tail = parts[len(parts) - len(wanted) :]
    if len(tail) != len(wanted) or (tail[-1].startswith(".") and not wanted[-1].startswith(".")):
        return False  # a * stands for no file whose name begins with a dot
    return all(map(fnmatchcase, tail, wanted))


def _without_lua(text: str) -> str:
    """Blocks of Lua as one word, with the lines that they take: their code is no configuration."""
    pieces, at = [], 0
    while (found := _LUA.search(text, at)) is not None:
        end = _end_of_lua(text, found.end())
        pieces += [text[at : found.end() - 1], '"', "\n" * text.count("\n", found.end(), end), '";']
        at = end
    return "".join([*pieces, text[at:]])


_IN_LUA = re.compile(r"--\[\[.*?\]\]|--[^\n]*|\[\[.*?\]\]|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|[{}]", re.DOTALL)


def _end_of_lua(text: str, begin: int) -> int:
    depth = 1
    for token in _IN_LUA.finditer(text, begin):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if depth == 0:
            return token.end()
    return len(text)


def _rooted(statements: list[Statement]) -> list[Statement]:
    """Files of ``conf.d`` and ``sites-available`` are contents of ``http``; a snippet of locations is one server's."""
    names = {one.name for one in statements}
    if "http" in names:
        return statements
    at = statements[0].record if statements else Record("", 1, "")
    if not names & _HTTP:
        if any(one.name == "stream" and one.block for one in statements):
            return statements
        if not names & {"location", "root", "listen"}:
            raise Invalid(
                "This is no configuration of a server: it has neither http nor stream nor server nor location.",
                code="unreadable-configuration",
            )
        statements = [Statement("server", (), tuple(statements), at)]
    of_main = {"user", "worker_processes", "events", "error_log", "pid", "load_module", "stream", "mail", "daemon"}
    above = [one for one in statements if one.name in of_main]
    return [*above, Statement("http", (), tuple(one for one in statements if one not in above), at)]


def every(statements: Iterable[Statement]) -> Iterator[Statement]:
    for one in statements:
        yield one
        yield from every(one.block or ())
