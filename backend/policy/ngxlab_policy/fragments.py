"""Apply the allow-list (:mod:`ngxlab_policy.directives`) to what people wrote of a configuration, once rendered."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TypeVar

from crossplane.analyzer import DIRECTIVES, analyze, enter_block_ctx
from crossplane.errors import NgxParserDirectiveError
from ngxlab_contracts.sentences import JOINTS, Sentence, fixed, listed, say
from ngxlab_contracts.trials import UPSTREAM_VARIABLE_PREFIX, placeholder

from ngxlab_policy import directives as allowed
from ngxlab_policy import owner
from ngxlab_policy.arguments import RULES, STREAM_RULES, Scope, alias_problem, is_address
from ngxlab_policy.owner import Leave
from ngxlab_policy.servers import CALL, key_of
from ngxlab_policy.syntax import ConfigSyntaxError, Directive, no_lua, parse


@dataclass(frozen=True)
class Fragment:
    """A rendered fragment: its lines, each with the number of the source line that it comes from."""

    field: str
    lines: tuple[tuple[str, int], ...]

    def indented(self, spaces: int) -> list[tuple[str, int]]:
        return [(" " * spaces + text if text else "", line) for text, line in self.lines]

    @property
    def text(self) -> str:
        return "\n".join(text for text, _ in self.lines)


_T = TypeVar("_T")
Context = tuple[str, ...]
"""As crossplane names it: ``()`` for main, ``("http", "server")``, ``("http", "location", "if")``, …"""

CONTEXT_OF_FRAGMENT: dict[str, Context] = {
    "main": (),
    "events": ("events",),
    "http": ("http",),
    "server": ("http", "server"),
}
_TCP: dict[str, Context] = {**CONTEXT_OF_FRAGMENT, "http": ("stream",), "server": ("stream", "server")}
_PLACEHOLDER = re.compile(r"@@([^@\s]*)@@")
_FOLDER = placeholder("folder")
_ALIKE = 0.7
"""Shorter names that share a few letters are no misspellings of each other."""
_RESERVED = "ngxlab_"
_RESERVED_NAMES = "{directive}: names with {reserved} are reserved for ngxlab; choose another"


@dataclass(frozen=True)
class Violation:
    """``line`` counts in the fragment's source."""

    field: str
    line: int
    message: Sentence


def violations(
    fragments: Mapping[str, Fragment],
    upstream_servers: Iterable[str],
    dynamic: Iterable[str] = (),
    tls: Mapping[str, bool] | None = None,
    protocols: Mapping[str, str] | None = None,
    *,
    leave: Leave | None = None,
    tcp: bool = False,
) -> list[Violation]:
    """Everything that is not allowed in an arm's fragments (by their name in the definition's ``nginx``).

    Missing fragments are not checked, nor are references to them. ``dynamic``: what ``{{ upstream("KEY") }}`` stands
    for, for each of the definition's groups. ``tls``: which upstream servers speak TLS, where that is known;
    ``protocols``: what they speak. ``leave``: what the owner of a host has to allow. ``tcp``: nginx passes on
    connections, so that ``http`` and ``server`` stand in ``stream``.
    """
    leave = leave or Leave()
    all_violations: list[Violation] = []
    parsed: dict[str, tuple[Directive, ...]] = {}
    servers = frozenset(upstream_servers)
    for name in (name for name in CONTEXT_OF_FRAGMENT if name in fragments):
        directives, problems = _read(fragments[name], servers, leave)
        all_violations += problems
        if directives is not None:
            parsed[name] = directives
    http = parsed.get("http")
    names = names_of_upstreams(http) if http is not None else None
    written = [directive for directives in parsed.values() for directive in directives]
    scope = Scope(
        servers,
        names,
        frozenset(dynamic),
        tls=dict(_spoken(http or (), tls or {})),
        protocols=dict(_spoken(http or (), protocols or {})),
        addresses=variables_of_addresses(written),
        leave=leave,
    )
    for name, directives in parsed.items():
        all_violations += _check_all(fragments[name], directives, (_TCP if tcp else CONTEXT_OF_FRAGMENT)[name], scope)
    if "listen_options" in fragments:
        all_violations += _check_listen_options(fragments["listen_options"], tcp=tcp)
    return all_violations


def upstream_server_violations(fragment: Fragment) -> list[Violation]:
    """Everything that is not allowed in the server block of an upstream server."""
    directives, problems = _read(fragment, frozenset(), Leave())
    scope = Scope(frozenset(), frozenset())
    return problems + _check_all(fragment, directives or (), CONTEXT_OF_FRAGMENT["server"], scope)


def _read(
    fragment: Fragment, upstream_servers: frozenset[str], leave: Leave
) -> tuple[tuple[Directive, ...] | None, list[Violation]]:
    problems = [Violation(fragment.field, line, message) for line, message in _check_characters(fragment)]
    try:
        directives = parse(with_servers(fragment.text), owner.lua_block if leave.has_lua else no_lua)
    except ConfigSyntaxError as error:
        return None, [*problems, Violation(fragment.field, _source_line(fragment, error.line), error.message)]
    problems += server_places(fragment, directives)
    return directives, problems


def with_servers(text: str) -> str:
    """As the agent will write it, with placeholders as words."""
    return _PLACEHOLDER.sub(_server_statement, text)


def _server_statement(match: re.Match[str]) -> str:
    """The text that the agent will write: ``@@upstream.KEY@@`` becomes ``server`` directives, others stay one word."""
    return f"server {match[0]};" if match[1].startswith(UPSTREAM_VARIABLE_PREFIX) else match[0]


def _source_line(fragment: Fragment, line: int) -> int:
    return fragment.lines[min(line, len(fragment.lines)) - 1][1] if fragment.lines else 1


def _check_characters(fragment: Fragment) -> Iterator[tuple[int, Sentence]]:
    """Characters that a parser might read as a blank or the end of a line, and placeholders that stay unfilled."""
    for text, line in fragment.lines:
        for char in sorted({c for c in text if not c.isprintable() and c != "\t"}):
            yield line, say("the character {code} is not allowed", code=f"U+{ord(char):04X}")
        for name in _PLACEHOLDER.findall(text):
            if name != "folder" and not name.startswith(UPSTREAM_VARIABLE_PREFIX):
                yield (
                    line,
                    say(
                        "{place} does not exist here; use {folder} or {call}",
                        place=f"@@{name}@@",
                        folder=_FOLDER,
                        call=CALL,
                    ),
                )


def server_places(fragment: Fragment, directives: tuple[Directive, ...]) -> Iterator[Violation]:
    """``{{ servers("KEY") }}`` must be a statement; inside a comment or a string it would mean something else."""
    placed = Counter(d.args[0] for d in every(directives) if d.name == "server" and len(d.args) == 1)
    written: dict[str, list[int]] = {}
    for text, line in fragment.lines:
        for match in _PLACEHOLDER.finditer(text):
            if match[1].startswith(UPSTREAM_VARIABLE_PREFIX):
                written.setdefault(match[0], []).append(line)
    for place, lines in written.items():
        if len(lines) != placed[place]:
            key = place.strip("@").removeprefix(UPSTREAM_VARIABLE_PREFIX).partition(":")[0]
            message = say(
                "{call} must stand alone in an upstream block, not in a comment or a string",
                call=CALL.replace("KEY", key),
            )
            yield Violation(fragment.field, lines[0], message)


def every(directives: Iterable[Directive]) -> Iterator[Directive]:
    for directive in directives:
        yield directive
        yield from every(directive.block or ())


_CHOOSING = frozenset({"geo", "map", "split_clients"})
_NO_PAIRS = frozenset({"hostnames", "ranges", "volatile"})


def variables_of_addresses(directives: Iterable[Directive]) -> frozenset[str]:
    """Those that blocks which choose values give addresses only, and nothing else sets. nginx ignores their case."""
    found, others = set[str](), set[str]()
    for one in every(directives):
        if one.name in _CHOOSING and one.block is not None and one.args:
            pairs = [pair for pair in one.block if pair.args or pair.name not in _NO_PAIRS]
            known = bool(pairs) and all(pair.args and is_address(pair.args[-1]) for pair in pairs)
            (found if known else others).add(one.args[-1].lower())
        elif one.name in {"auth_request_set", "set"} and one.args:
            others.add(one.args[0].lower())
        captured = re.findall(r"\(\?P?[<'](\w+)[>']", " ".join((one.name, *one.args)))
        others.update(f"${name.lower()}" for name in captured)
    return frozenset(found - others)


def names_of_upstreams(http: Iterable[Directive]) -> frozenset[str]:
    return frozenset(d.args[0] for d in http if d.name == "upstream" and len(d.args) == 1)


def _spoken(http: Iterable[Directive], by_key: Mapping[str, _T]) -> Iterator[tuple[str, _T]]:
    """Each upstream whose servers are all alike in what is given by the keys of declared ones."""
    for upstream in (d for d in http if d.name == "upstream" and len(d.args) == 1):
        places = [d.args[0].strip("@") for d in upstream.block or () if d.name == "server" and len(d.args) == 1]
        spoken = {by_key.get(key) for key in (key_of(place, by_key) for place in places) if key is not None}
        if len(spoken) == 1 and (one := spoken.pop()) is not None:
            yield upstream.args[0], one


def _check_all(fragment: Fragment, directives: Iterable[Directive], context: Context, scope: Scope) -> list[Violation]:
    violations_of_fragment = [
        Violation(
            fragment.field,
            _source_line(fragment, directive.line),
            say(_RESERVED_NAMES, directive=directive.name, reserved=_RESERVED),
        )
        for directive in every(directives)
        if uses_reserved_name(directive, scope)
    ]
    for directive in directives:
        for line, message in check(directive, context, scope):
            violations_of_fragment.append(Violation(fragment.field, _source_line(fragment, line), message))
    return violations_of_fragment


def uses_reserved_name(directive: Directive, scope: Scope) -> bool:
    """Setting ngxlab's own variables, by any directive, would redirect the load. nginx ignores their case."""
    if directive.name == "proxy_pass" and directive.args[:1] and directive.args[0] in scope.dynamic:
        return False
    return any(_RESERVED in word.lower() for word in (directive.name, *directive.args))


def check(directive: Directive, context: Context, scope: Scope) -> Iterator[tuple[int, Sentence]]:
    """Line and message of everything in it that is not allowed there, but for reserved names."""
    name, line = directive.name, directive.line
    if directive.block is None and scope.own(context, name, directive.args):
        return
    if name not in _allowed_in(context) and scope.leave.covers(name):
        yield from ((line, problem) for problem in owner.problems(directive, scope.leave))
        return
    if name not in _allowed_in(context):
        yield line, _not_allowed(name, context)
        return
    if (misuse := _misuse(directive, context)) is not None:
        yield line, misuse
        return
    rule = (STREAM_RULES if context[:1] == ("stream",) else RULES).get(name)
    if rule is not None and (message := rule(directive.args, scope)) is not None:
        yield line, say(JOINTS[": "], one=name, other=message)
    if name == "location":
        yield from _check_aliases(directive)
    if name in allowed.DATA_BLOCKS:
        yield from _check_data(directive)
        return
    inner = enter_block_ctx({"directive": name}, context)
    for child in directive.block or ():
        yield from check(child, inner, scope)


def _check_aliases(location: Directive) -> Iterator[tuple[int, Sentence]]:
    for child in location.block or ():
        if child.name == "alias" and child.args and (problem := alias_problem(location.args, child.args[0])):
            yield child.line, say(JOINTS[": "], one=child.name, other=problem)


def _allowed_in(context: Context) -> frozenset[str]:
    if context[:1] == ("stream",):
        return allowed.STREAM_UPSTREAM if context == ("stream", "upstream") else allowed.STREAM
    if context[:1] != ("http",):
        return allowed.EVENTS if context else allowed.MAIN
    return allowed.UPSTREAM if context == ("http", "upstream") else allowed.HTTP


def _misuse(directive: Directive, context: Context) -> Sentence | None:
    """A directive in the wrong place or with a wrong number of arguments, by nginx's own tables.

    What crossplane does not know yet takes at least one argument and no block.
    """
    if directive.name not in DIRECTIVES:
        if directive.block is not None:
            return say("{directive} takes no block", directive=directive.name)
        return None if directive.args else say(_WRONG_NUMBER, directive=directive.name)
    args = [arg.replace("%", "%%") for arg in directive.args]  # crossplane formats its message twice
    statement = {"directive": directive.name, "line": directive.line, "args": args}
    try:
        analyze("", statement, "{" if directive.block is not None else ";", context, strict=True)
    except NgxParserDirectiveError as error:
        return _of_crossplane(str(error.strerror), directive)
    return None


_WRONG_NUMBER = 'invalid number of arguments in "{directive}" directive'
_MISUSES = (
    _WRONG_NUMBER,
    '"{directive}" directive is not allowed here',
    'directive "{directive}" has no opening "{sign}"',
    'directive "{directive}" is not terminated by ";"',
    'invalid value "{value}" in "{directive}" directive, it must be "on" or "off"',
)
"""What crossplane says."""


def _of_crossplane(text: str, directive: Directive) -> Sentence:
    """As a sentence; one that newer versions say stays as it is."""
    value = directive.args[0] if directive.args else ""
    said = (say(template, directive=directive.name, sign="{", value=value) for template in _MISUSES)
    return next((sentence for sentence in said if sentence == text), fixed(text))


def _check_data(directive: Directive) -> Iterator[tuple[int, Sentence]]:
    """Pairs of values in a map and the like. nginx accepts ``include`` there too, quoted or not."""
    for pair in directive.block or ():
        if pair.name == "include" or pair.block is not None or pair.name.endswith("_by_lua_block"):
            yield (
                pair.line,
                say(
                    "{directive} is not allowed in {block}: write the pairs themselves",
                    directive=pair.name,
                    block=directive.name,
                ),
            )


def _not_allowed(name: str, context: Context) -> Sentence:
    said = say("{directive} is not allowed in {context}", directive=name, context=_named(context))
    joint, advice = _instead(name, context)
    return say(JOINTS[joint], one=said, other=advice)


def _named(context: Context) -> Sentence:
    """``if in location``: without ``http`` around it."""
    return listed(list(reversed(context[1:])) or list(context) or ["main"], " in ")


_OF_OTHERS = r"more_|echo|vhost_traffic|js_|lua_|my_|ngx_"
_BEYOND = say(
    "where the owner of the host allows it (allow_directives in caps.toml), name it in nginx.allow_directives"
)


def _instead(name: str, context: Context) -> tuple[str, Sentence]:
    """What to do, after the joint that leads to it."""
    for pattern, advice in allowed.INSTEAD:
        if re.fullmatch(pattern, name):
            return ": ", advice
    choices = sorted(_allowed_in(context))
    if name in DIRECTIVES:
        return ": ", say("it is none of what an experiment may contain, since it does not bear on what is measured")
    if re.match(_OF_OTHERS, name):
        return ": ", _BEYOND
    close = get_close_matches(name, choices, n=3, cutoff=_ALIKE)
    if close:
        return "; ", say("did you mean {names}?", names=listed(close, " or "))
    few = ", ".join(choices) if len(choices) <= 12 else ""
    return "; ", say("allowed: {names}", names=few or say("what serves files, answers, compresses, limits or proxies"))


def _check_listen_options(fragment: Fragment, *, tcp: bool) -> list[Violation]:
    return [
        Violation(
            fragment.field,
            line,
            _no_listen_option(word),
        )
        for text, line in fragment.lines
        for word in text.split()
        if not re.fullmatch(allowed.LISTEN_OPTION, word, re.ASCII) or (tcp and word in allowed.LISTEN_OF_HTTP)
    ]


def _no_listen_option(word: str) -> Sentence:
    said = say(
        "{option} is not an allowed option of listen; allowed are reuseport, deferred, bind, default_server, http2, "
        "quic, multipath, backlog=, fastopen=, rcvbuf=, sndbuf= and so_keepalive=",
        option=word,
    )
    advice = allowed.LISTEN_INSTEAD.get(word)
    return say(JOINTS["; "], one=said, other=advice) if advice is not None else said
