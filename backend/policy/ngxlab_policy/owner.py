"""Directives beyond the allow-list, which the owner of a host allows there, and the files of code that they may name.

Nothing of the allow-list's own is loosened by it: a directive that the list has keeps its rules, and what ngxlab writes
itself, or what would make the rest of a configuration unreadable to these rules, no owner can allow.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from ngxlab_contracts.sentences import Sentence, say

from ngxlab_policy.syntax import Directive

PATTERN = r"[a-z][a-z0-9_]+\*?"
"""A directive's name, or how several begin, as in ``more_*``."""
FILE = r"/[\w.+-][\w.+/-]*"

_NEVER = (
    r"include|load_module|user|pid|daemon|master_process|error_log|worker_processes|worker_connections|lock_file"
    r"|working_directory|env|events|http|server|listen|location|stream|mail|stub_status|ssl_engine|ssl_certificate.*"
    r"|.*_temp_path|.*_pass|dyups_.*|resolver.*|upstream|access_log|root|alias|modsecurity_rules_remote"
)
"""What these rules and ngxlab's own lines rest on."""
_BRINGS_CODE = r".*_by_lua(_block)?|perl|perl_set|modsecurity_rules"
_NAMES_CODE = (
    r".*_by_lua_file|js_(import|path|preload_object|include|load_.*)|lua_package_c?path|perl_(modules|require)"
    r"|modsecurity_rules_file"
)
"""Their words must say, before nginx runs, which files they mean."""


@dataclass(frozen=True)
class Leave:
    """What an owner allows: ``directives`` by :data:`PATTERN`. ``files``: absolute paths of files, and of folders for
    all below them, that may be named; None where no host is known yet."""

    directives: tuple[str, ...] = ()
    files: tuple[str, ...] | None = field(default=())

    def __post_init__(self) -> None:
        if self.files is not None:
            object.__setattr__(self, "files", tuple(one.rstrip("/") for one in self.files))

    def covers(self, name: str) -> bool:
        """Code that the experiment brings itself needs the owner's word for exactly this directive."""
        if re.fullmatch(_NEVER, name) or not re.fullmatch(r"[a-z][a-z0-9_]*", name, re.ASCII):
            return False
        if re.fullmatch(_BRINGS_CODE, name):
            return name in self.directives
        return any(_matches(pattern, name) for pattern in self.directives)

    @property
    def has_lua(self) -> bool:
        return any(name.endswith("_by_lua_block") for name in self.directives)


def _matches(pattern: str, name: str) -> bool:
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern


def problems(directive: Directive, leave: Leave) -> Iterator[Sentence]:
    """Why a directive that the owner allows may not be so."""
    if directive.block is not None:
        yield say("{directive} takes no block here", directive=directive.name)
    if directive.name.endswith("_by_lua_block"):
        return
    for word in directive.args:
        if re.search(r"(^|[/;])\.\.?(/|;|$)", word):
            yield say("{directive}: {word} must be without segments of dots", directive=directive.name, word=word)
        if "unix:" in word:
            yield say(
                "{directive}: {word} names a socket, which no owner can allow", directive=directive.name, word=word
            )
    yield from _unknown_files(directive)
    for path in paths(directive):
        if leave.files is not None and not any(path == one or path.startswith(f"{one}/") for one in leave.files):
            yield say(
                "{directive}: the owner of this host does not name {path}; named: {names} (code_files in caps.toml)",
                directive=directive.name,
                path=path,
                names=", ".join(leave.files) or say("none"),
            )


def _unknown_files(directive: Directive) -> Iterator[Sentence]:
    """Whether it says where its code lies: by absolute paths. nginx would find others in folders that an experiment
    writes to, such as that of its log."""
    if not re.fullmatch(_NAMES_CODE, directive.name):
        return
    words = list(directive.args)
    if "from" in words:
        words = words[words.index("from") + 1 :]
    elif "as" in words:
        words = words[: words.index("as")]
    files = [piece for word in words for piece in word.split(";") if piece]
    if not files or any(not one.startswith("/") or "$" in one or "@@" in one for one in files):
        yield say(
            "{directive} must name files of code by their absolute paths, without variables", directive=directive.name
        )


def paths(directive: Directive) -> Sequence[str]:
    """The absolute paths that it names; several may stand in a word, as in ``lua_package_path``, also behind a sign."""
    if directive.name.endswith("_by_lua_block"):
        return ()
    return [path for word in directive.args for path in re.findall(r"(?:^|[=:;,\s])(/[^;,\s]*)", word)]


def named_files(directives: Iterable[Directive], known: frozenset[str], data: frozenset[str]) -> Iterator[str]:
    """The files and folders that directives beyond the list (``known``) name, for nginx to be shown them; ``data``:
    blocks of values. ``?`` of a search path stands for any file of its folder."""
    for one in directives:
        if one.name not in known:
            yield from (re.sub(r"/[^/]*\?.*", "", path) or "/" for path in paths(one))
        if one.name not in data:
            yield from named_files(one.block or (), known, data)


def directives_of_code(directives: Iterable[Directive], known: frozenset[str], data: frozenset[str]) -> Iterator[str]:
    """The names of those beyond the list by which nginx runs code that an experiment brings or names."""
    for one in directives:
        if one.name not in known and (re.fullmatch(f"{_BRINGS_CODE}|{_NAMES_CODE}", one.name) or paths(one)):
            is_ours = one.name.endswith("_by_lua_block") and not any(word.startswith(_OF_OTHERS) for word in one.args)
            yield from () if is_ours else (one.name,)
        if one.name not in data:
            yield from directives_of_code(one.block or (), known, data)


_OF_OTHERS = "own: "
"""Begins the code of a block that is none of ngxlab's."""
_IN_LUA = re.compile(
    r"--\[(=*)\[.*?\]\1\]|(?P<open>--\[=*\[)|--[^\n]*|\[(=*)\[.*?\]\3\]|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[{}]"
    r"|(?P<opened>\[=*\[|[\"'])",
    re.DOTALL,
)
"""``open`` and ``opened`` begin what has no end."""


def lua_block(text: str, begin: int) -> tuple[str, int] | None:
    """The code of a block that begins at ``begin``, after its brace, and where the block ends; None where it does not
    end, or what it quotes does not. It is marked, so that it is none of ngxlab's own."""
    depth = 1
    for token in _IN_LUA.finditer(text, begin):
        if token["open"] is not None or token["opened"] is not None:
            return None
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if depth == 0:
            return f"{_OF_OTHERS}{text[begin : token.start()]}", token.end()
    return None
