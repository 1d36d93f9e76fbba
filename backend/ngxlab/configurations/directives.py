"""What becomes of single directives: paths, logs, addresses and listeners of the host in an experiment's own."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ngxlab_contracts.sentences import Sentence, say
from ngxlab_contracts.trials import UpstreamProtocol, placeholder
from ngxlab_policy import directives as allowed
from ngxlab_policy.arguments import PASSWORDS
from ngxlab_policy.servers import OPTIONS, place_of

from ngxlab.configurations.addresses import Upstreams, target
from ngxlab.configurations.made import Made
from ngxlab.configurations.sources import Statement

FOLDER = placeholder("folder")
FILES = f"{FOLDER}/files"
SITE = "site"
FIRST_FILE = f"{SITE}/0"
ACCESS_LOG = f"{FOLDER}/access.log"
PASSES: Mapping[str, UpstreamProtocol] = {
    "proxy_pass": "http",
    "fastcgi_pass": "fastcgi",
    "uwsgi_pass": "uwsgi",
    "scgi_pass": "scgi",
    "grpc_pass": "grpc",
    "memcached_pass": "memcached",
}
_SCHEMES: Mapping[UpstreamProtocol, str] = {"http": "http", "grpc": "grpc"}
_NO_URI = frozenset({"if", "limit_except"})


@dataclass
class State:
    """What is known while one configuration is converted. ``formats``: names of its log formats.

    ``caches``: by path, the folder that takes its place. ``locations``: those around the directive in work.
    ``tcp``: it passes on connections, in ``stream``.
    """

    upstreams: Upstreams
    formats: frozenset[str] = frozenset()
    caches: dict[str, str] = field(default_factory=dict)
    locations: list[Statement] = field(default_factory=list)
    serves_files: bool = False
    tcp: bool = False
    group: str = ""
    """The name of the upstream block in work."""
    instance: int = 0


Handler = Callable[[State, Statement, str], Sequence[Made]]


def made(statement: Statement, *args: str, name: str | None = None, place: bool = False) -> Made:
    return Made(name or statement.name, args, None, statement.record, place)


def _root(state: State, statement: Statement, _: str) -> Sequence[Made]:
    state.serves_files = True
    statement.record.replace(say("files of like sizes are made for each trial"))
    return [made(statement, FILES, name="root")]


def _alias(state: State, statement: Statement, context: str) -> Sequence[Made]:
    location = state.locations[-1].args if state.locations else ("",)
    is_folder = location[-1].endswith("/") and (len(location) == 1 or location[0] == "^~")
    if not is_folder:
        return _root(state, statement, context)
    state.serves_files = True
    statement.record.replace(say("files of like sizes are made for each trial"))
    return [made(statement, f"{FILES}/")]


def _access_log(state: State, statement: Statement, _: str) -> Sequence[Made]:
    path, *options = statement.args or ("off",)
    if path == "off":
        return [made(statement, "off")]
    if path.startswith("syslog:"):
        statement.record.drop(say("there is no log server in an experiment"))
        return []
    options = [one for one in options if "=" in one or one == "gzip" or one in {"combined", *state.formats}]
    if path != ACCESS_LOG:
        statement.record.replace(say("the log is a file of the trial"))
    return [made(statement, ACCESS_LOG, *options)]


def _cache_path(state: State, statement: Statement, _: str) -> Sequence[Made]:
    path, *options = statement.args
    number = len(state.caches) + 1
    folder = state.caches.setdefault(path, f"{FOLDER}/cache" if number == 1 else f"{FOLDER}/cache-{number}")
    statement.record.replace(say("the cache is a folder of the trial"))
    return [made(statement, folder, *options)]


def _pass(state: State, statement: Statement, _: str) -> Sequence[Made]:
    asked, protocol = target(statement.args[0]), PASSES[statement.name]
    path = asked.path if protocol == "http" and not state.tcp else ""
    group = state.upstreams.group(asked, statement.record, protocol)
    scheme = "" if state.tcp else _SCHEMES.get(protocol, "")
    if scheme:
        scheme += "s://" if state.upstreams.tls[group] else "://"
    innermost = state.locations[-1] if state.locations else None
    fixed = path and "$" not in path
    if fixed and innermost is not None and (innermost.name in _NO_URI or innermost.args[0][:1] in {"~", "@"}):
        path = ""  # nginx takes none there, unless variables are in it
    new = f"{scheme}{group}{path}"
    if new != statement.args[0]:
        statement.record.replace(say("{group} is a declared upstream server", group=group))
    return [made(statement, new)]


def _server_of_upstream(state: State, statement: Statement, _: str) -> Sequence[Made]:
    state.instance += 1
    key = state.upstreams.declare(state.group, state.instance)
    options: dict[str, object] = {"instance": state.instance} if key == state.group else {}
    for word in statement.args[1:]:
        name, equals, value = word.partition("=")
        form = OPTIONS.get(name)
        if form is not None and bool(equals) == bool(form) and re.fullmatch(form, value):
            options[name] = value if equals else True
    statement.record.replace(
        say(
            "{group} is a declared upstream server: its address is known, so that nothing is resolved",
            group=state.group,
        )
        if "resolve" in statement.args
        else say("{group} is a declared upstream server", group=state.group)
    )
    return [Made(place_of(key, options), (), None, statement.record, place=True)]


def _try_files(state: State, statement: Statement, _: str) -> Sequence[Made]:
    *files, last = (re.sub(r"\$(fastcgi_script_name|document_uri)(?!\w)", "$uri", word) for word in statement.args)
    around = state.locations[-1].block if state.locations else None
    if last == "=404" and any(one.name in PASSES for one in around or ()):
        statement.record.drop(say("the scripts that upstream servers run are not among the files that are made"))
        return []
    *files, last = (f"/{FIRST_FILE}" if _is_page(word) else word for word in (*files, last))
    if not last.startswith(("=", "@")):
        last = re.sub(r"\$\{?is_args\}?\$\{?(args|query_string)\}?$", "?$args", last)
        path = last.partition("?")[0]
        if "$" in path:
            fixed = re.sub(r"/?\$.*", "", path) or "/"
            last = fixed
            statement.record.replace(say("what is tried last has a fixed path here"))
    if (*files, last) != statement.args:
        statement.record.replace(say("the same, with the paths that an experiment has"))
    return [made(statement, *files, last)]


def _ignored_headers(_: State, statement: Statement, __: str) -> Sequence[Made]:
    if "x-accel-redirect" in {one.lower() for one in statement.args}:
        return [made(statement, *statement.args)]
    statement.record.replace(say("upstream servers of an experiment redirect to no files"))
    return [made(statement, *statement.args, "X-Accel-Redirect")]


def _is_page(word: str) -> bool:
    return "$" not in word and word.endswith((".html", ".htm"))


def _index(_: State, statement: Statement, __: str) -> Sequence[Made]:
    names = [name for name in statement.args if "$" not in name]
    if len(names) < len(statement.args):
        statement.record.replace(say("names of files have no variables here"))
    if names and all(map(_is_page, names)):
        names = [FIRST_FILE]
        statement.record.replace(say("the first of the files that are made is the page"))
    return [made(statement, *names)] if names else []


def _passwords(_: State, statement: Statement, __: str) -> Sequence[Made]:
    statement.record.replace(say("a file with one user is made, whom the load calls itself"))
    return [made(statement, PASSWORDS)]


def _default_type(_: State, statement: Statement, __: str) -> Sequence[Made]:
    if statement.args == ("application/octet-stream",):
        statement.record.replace(say("the files that are made have no extension, and are pages"))
        return [made(statement, "text/html")]
    return [made(statement, *statement.args)]


HANDLERS: Mapping[str, Handler] = {
    "root": _root,
    "alias": _alias,
    "access_log": _access_log,
    "proxy_cache_path": _cache_path,
    "fastcgi_cache_path": _cache_path,
    "uwsgi_cache_path": _cache_path,
    "scgi_cache_path": _cache_path,
    "try_files": _try_files,
    "index": _index,
    "proxy_ignore_headers": _ignored_headers,
    "fastcgi_ignore_headers": _ignored_headers,
    "uwsgi_ignore_headers": _ignored_headers,
    "scgi_ignore_headers": _ignored_headers,
    "grpc_ignore_headers": _ignored_headers,
    "default_type": _default_type,
    "auth_basic_user_file": _passwords,
    **dict.fromkeys(PASSES, _pass),
}
IN_UPSTREAM: Mapping[str, Handler] = {"server": _server_of_upstream}


@dataclass(frozen=True)
class Listener:
    """``options``: those of ``listen`` that an experiment may have."""

    tls: bool
    options: tuple[str, ...]
    statement: Statement


_SAY_NOTHING = frozenset({"default_server", "http2", "quic"})
"""There is one server, and the load speaks HTTP/1.1: a result is void where nginx offers more than is asked for."""


def listeners(server: Statement) -> list[Listener]:
    found = []
    has_tls = any(one.name == "ssl" and one.args == ("on",) for one in server.block or ())
    for one in server.block or ():
        if one.name == "listen":
            words = one.args[1:]
            options = tuple(
                word for word in words if re.fullmatch(allowed.LISTEN_OPTION, word) and word not in _SAY_NOTHING
            )
            found.append(Listener(has_tls or "ssl" in words, options, one))
    return found


LISTENS = say("ngxlab listens on a port of its own, with the options that it allows")
ANOTHER = say("all listeners of an experiment are alike")


def chosen_listener(found: Sequence[Listener]) -> Listener | None:
    """The first with TLS, or the first."""
    return next((one for one in found if one.tls), found[0] if found else None)


def why_listeners(found: Sequence[Listener]) -> None:
    chosen = chosen_listener(found)
    for one in found:
        if one is chosen:
            lost = [word for word in one.statement.args[1:] if word not in {*one.options, "ssl", "default_server"}]
            without = say("ngxlab listens on a port of its own, without {options}", options=", ".join(lost))
            one.statement.record.replace(without if lost else LISTENS)
        else:
            one.statement.record.drop(ANOTHER)


def refused(message: str) -> Sentence:
    return say("ngxlab's list of directives refuses it: {why}", why=message)
