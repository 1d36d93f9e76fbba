"""Judge a whole nginx.conf as a host is given it: what people may write within what ngxlab writes, and no more."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from crossplane.analyzer import enter_block_ctx

from ngxlab_policy import directives as allowed
from ngxlab_policy import lua, owner
from ngxlab_policy.arguments import PASSING, Scope, name_problem
from ngxlab_policy.fragments import (
    Context,
    Fragment,
    check,
    every,
    names_of_upstreams,
    server_places,
    uses_reserved_name,
    variables_of_addresses,
    with_servers,
)
from ngxlab_policy.own_directives import is_own, is_status_server, listens
from ngxlab_policy.owner import Leave
from ngxlab_policy.servers import key_of
from ngxlab_policy.syntax import ConfigSyntaxError, Directive, parse

_MODULES = "@@modules@@\n"
_FIRST_WORD = re.compile(r"(?:^|[;{}])[^\S\n]*([a-z_0-9]+)(?=[\s;])", re.MULTILINE)
_MODULES_OF = (
    (re.compile(r"brotli(_(buffers|comp_level|min_length|types|window))?"), "http_brotli_filter_module"),
    (re.compile(r"brotli_static"), "http_brotli_static_module"),
)
_PLACEHOLDER = re.compile(r"@@([^@\s]*)@@")
_RUN_VARIABLE = r"(folder|pid_file|error_log|status_port|address|http_port(\.[0-9]+)?|port\.[0-9]+)"
_LISTEN = r"(@@address@@|127\.0\.0\.1):@@(http_port(\.[0-9]+)?|port\.[0-9]+)@@"
_LISTEN_OPTION = rf"ssl|{allowed.LISTEN_OPTION}"
_DYNAMIC = r"http://\$ngxlab_upstream_[0-9]+"


@dataclass(frozen=True)
class Surroundings:
    """What a configuration may refer to: the keys of upstream servers, the names of upstream groups, and the files of
    modules and the directives beyond the list that the owner of the host allows."""

    upstream_servers: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    modules: frozenset[str] = frozenset()
    leave: Leave = field(default_factory=Leave)


def problems(config: str, around: Surroundings) -> list[str]:
    """Everything in ``config`` that no experiment may contain, each with its line. Takes milliseconds."""
    text = config.removeprefix(_MODULES)
    first = 2 if text != config else 1
    found = list(_characters(text, around))
    try:
        directives = parse(with_servers(text), lua.reader(around.leave))
    except ConfigSyntaxError as error:
        return [*(f"line {line + first - 1}: {message}" for line, message in found), f"{error.message}"]
    fragment = Fragment("nginx.conf", tuple((line, number) for number, line in enumerate(text.split("\n"), 1)))
    found += [(problem.line, problem.message) for problem in server_places(fragment, directives)]
    found += _judge(directives, around)
    return [f"line {line + first - 1}: {message}" for line, message in found]


def loaded_modules(config: str) -> tuple[str, ...]:
    """The files that ``config``, or its main part, loads by ``load_module``; none where it cannot be read."""
    try:
        directives = parse(with_servers(config.removeprefix(_MODULES)), lua.recognise)
    except ConfigSyntaxError:
        return ()
    return tuple(one.args[0] for one in directives if one.name == "load_module" and len(one.args) == 1)


def modules_of_directives(text: str) -> tuple[str, ...]:
    """The dynamic modules that bring directives of ``text`` and that it does not load itself: ngxlab loads them where
    they lie beside the nginx."""
    names = set(_FIRST_WORD.findall(text))
    wanted = (module for directives, module in _MODULES_OF if any(map(directives.fullmatch, names)))
    return tuple(module for module in wanted if f"/ngx_{module}.so;" not in text)


def named_files(config: str) -> tuple[str, ...]:
    """The files and folders that directives beyond the list name in ``config``; none where it cannot be read."""
    return tuple(dict.fromkeys(owner.named_files(_with_any_code(config), _KNOWN, allowed.DATA_BLOCKS)))


def directives_of_code(config: str) -> tuple[str, ...]:
    """The directives beyond the list by which ``config`` runs code of others; none where it cannot be read."""
    return tuple(dict.fromkeys(owner.directives_of_code(_with_any_code(config), _KNOWN, allowed.DATA_BLOCKS)))


def _with_any_code(config: str) -> tuple[Directive, ...]:
    try:
        return parse(with_servers(config.removeprefix(_MODULES)), lua.reader(_ANY_LUA))
    except ConfigSyntaxError:
        return ()


_ANY_LUA = Leave(("content_by_lua_block",))
_KNOWN = allowed.MAIN | allowed.EVENTS | allowed.UPSTREAM | allowed.HTTP | allowed.STREAM


def _characters(text: str, around: Surroundings) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        for char in sorted({c for c in line if not c.isprintable() and c != "\t"}):
            yield number, f"the character U+{ord(char):04X} is not allowed"
        for name in _PLACEHOLDER.findall(line):
            if not (re.fullmatch(_RUN_VARIABLE, name) or key_of(name, around.upstream_servers)):
                yield number, f"@@{name}@@ does not exist here"


def _judge(directives: tuple[Directive, ...], around: Surroundings) -> Iterator[tuple[int, str]]:
    https = [one for one in directives if one.name == "http" and one.block is not None]
    variables = frozenset(_dynamic(https))
    scope = Scope(
        around.upstream_servers,
        _upstreams(directives, "http") | around.groups,
        variables,
        is_own,
        modules=around.modules,
        leave=around.leave,
        addresses=variables_of_addresses(directives),
    )
    # Of another block's upstream nginx knows nothing: it would look its name up.
    of_stream = replace(scope, upstreams=_upstreams(directives, "stream"), dynamic=frozenset())
    for directive in directives:
        if directive.block is None:
            yield from _check(directive, (), scope)
        elif directive.name == "events" and not directive.args:
            for child in directive.block:
                yield from _check(child, ("events",), scope)
        elif directive.name == "http" and not directive.args:
            yield from _http(directive, ("http",), scope, around)
        elif directive.name == "stream" and not directive.args:
            yield from _http(directive, ("stream",), of_stream, around)
        else:
            yield directive.line, f"{directive.name} is not allowed in main"
    passing = {one.name.removesuffix("_pass") for one in every(directives) if one.name.endswith("_pass")}
    for name in (name for name in PASSING if name in passing):
        yield from (
            (http.line, f"{name}_ignore_headers X-Accel-Redirect is missing in http")
            for http in https
            if not any(one.name == f"{name}_ignore_headers" for one in http.block or ())
        )


def _upstreams(directives: Iterable[Directive], block: str) -> frozenset[str]:
    blocks = [one.block or () for one in directives if one.name == block]
    return frozenset[str]().union(*map(names_of_upstreams, blocks))


def _dynamic(https: Iterable[Directive]) -> Iterator[str]:
    """The arguments of ``proxy_pass`` for groups that are named by a variable of ours."""
    for one in every(tuple(https)):
        if one.name == "proxy_pass" and len(one.args) == 1 and re.fullmatch(_DYNAMIC, one.args[0], re.ASCII):
            yield one.args[0]


def _http(http: Directive, context: Context, scope: Scope, around: Surroundings) -> Iterator[tuple[int, str]]:
    """Also of ``stream``, as ``context`` says."""
    for child in http.block or ():
        if child.name == "server" and not child.args and child.block is not None:
            yield from _server(child, (*context, "server"), scope, around)
        else:
            yield from _check(child, context, scope)


def _server(server: Directive, context: Context, scope: Scope, around: Surroundings) -> Iterator[tuple[int, str]]:
    if context[0] == "http" and is_status_server(server) and listens(server):
        return
    if not listens(server):
        yield server.line, "server: it listens to no port that was chosen for it"
    for child in server.block or ():
        if child.name == "listen":
            if not (_is(_LISTEN, *child.args[:1]) and all(_is(_LISTEN_OPTION, word) for word in child.args[1:])):
                yield child.line, f"listen: {' '.join(child.args)} is not a port that was chosen for it"
        elif context[0] == "stream" or not _names_group(child, around):
            yield from _check(child, context, scope)


def _names_group(directive: Directive, around: Surroundings) -> bool:
    """Ours, which dyups needs: a group is looked up by its name only if the name comes from a variable."""
    words = directive.args
    return (
        directive.name == "set"
        and len(words) == 2
        and _is(r"\$ngxlab_upstream_[0-9]+", words[0])
        and words[1] in around.groups
        and name_problem(words[1]) is None
    )


def _check(directive: Directive, context: Context, scope: Scope) -> Iterator[tuple[int, str]]:
    yield from _reserved(directive, context, scope)
    yield from check(directive, context, scope)


def _reserved(directive: Directive, context: Context, scope: Scope) -> Iterator[tuple[int, str]]:
    if directive.block is None and is_own(context, directive.name, directive.args):
        return
    if uses_reserved_name(directive, scope):
        yield directive.line, f"{directive.name}: this name is ngxlab's own"
    inner = enter_block_ctx({"directive": directive.name}, context)
    for child in directive.block or ():
        yield from _reserved(child, inner, scope)


def _is(pattern: str, *words: str) -> bool:
    return len(words) == 1 and re.fullmatch(pattern, words[0], re.ASCII) is not None
