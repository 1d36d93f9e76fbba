"""One configuration of somebody's own as the parts of an experiment's, with a reason for each line that changes."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ngxlab_contracts.sentences import say
from ngxlab_policy.owner import Leave

from ngxlab.configurations import left_out
from ngxlab.configurations.addresses import Upstreams
from ngxlab.configurations.directives import (
    ACCESS_LOG,
    FILES,
    FIRST_FILE,
    HANDLERS,
    IN_UPSTREAM,
    PASSES,
    SITE,
    Handler,
    Listener,
    State,
    chosen_listener,
    listeners,
    why_listeners,
)
from ngxlab.configurations.known import MODULES, SINCE
from ngxlab.configurations.made import Made
from ngxlab.configurations.made import every as made_within
from ngxlab.configurations.records import Record
from ngxlab.configurations.sources import Statement, every, read
from ngxlab.core.errors import Invalid
from ngxlab.definition.schema.upstream_servers import UpstreamServer

PARTS = ("main", "events", "http", "server")
DEFAULT_CONNECTIONS = 512
"""Of nginx itself."""


@dataclass(frozen=True)
class Build:
    """The nginx that will run it. ``arguments``: of its configure script. ``leave``: what the owner of its host allows
    beyond the list."""

    version: tuple[int, ...]
    arguments: frozenset[str]
    leave: Leave = field(default_factory=Leave)

    @classmethod
    def of(cls, version: str, arguments: Iterable[str], leave: Leave | None = None) -> "Build | None":
        """``version``: as ``nginx -V`` says it. None for what names no version of nginx."""
        found = re.search(r"(?:^|nginx/)(\d+(?:\.\d+)*)", version)
        return (
            None if found is None else cls(tuple(map(int, found[1].split("."))), frozenset(arguments), leave or Leave())
        )

    def lacks(self, name: str, *args: str) -> bool:
        if (name, *args) == ("aio", "on"):
            return "--with-file-aio" not in self.arguments
        if self.version < SINCE.get(name, (0,)):
            return True
        module = next((module for pattern, module in MODULES if re.fullmatch(pattern, name)), None)
        return module is not None and not any(self._has(argument, module) for argument in self.arguments)

    @staticmethod
    def _has(argument: str, module: str) -> bool:
        static = argument.removeprefix("--with-") == module
        return static or (argument.startswith("--add-module") and module.split("_")[1] in argument)

    @property
    def text(self) -> str:
        return ".".join(map(str, self.version))


@dataclass(frozen=True)
class Choices:
    """What a configuration leaves open. ``server``: the number of the server block that gets the load, from 0."""

    server: int | None = None
    path: str | None = None
    workers: int = 2


@dataclass
class Converted:
    """``parts``: by fragment. ``servers``: the server blocks that could get the load, by what they are called.

    ``path``: what the load asks for; with ``{n}`` for one of many files. ``host``: the Host that the server answers to.
    ``tcp``: it passes on connections: ``http`` and ``server`` are of ``stream``.
    """

    parts: dict[str, tuple[Made, ...]]
    records: list[Record]
    workers: int
    connections: int
    tls: bool
    listen_options: str
    upstreams: list[UpstreamServer]
    servers: dict[int, str] = field(default_factory=dict)
    server: int = 0
    path: str = "/"
    host: str | None = None
    serves_files: bool = False
    tcp: bool = False
    asks_workers: bool = False
    leave: Leave = field(default_factory=Leave)


def convert(files: Mapping[str, str], choices: Choices, build: Build | None) -> Converted:
    """Raises Invalid where the files are no configuration of nginx that can be read."""
    statements, records = read(files)
    return _Conversion(statements, records, choices, build).result()


class _Conversion:
    def __init__(
        self, statements: Sequence[Statement], records: list[Record], choices: Choices, build: Build | None
    ) -> None:
        self._main, self._records, self._choices, self._build = statements, records, choices, build
        self._tcp = not any(top.name == "http" for top in statements)
        """It has ``stream`` alone."""
        self._around = "stream" if self._tcp else "http"
        self._http = [one for top in statements if top.name == self._around for one in top.block or ()]
        self._state = State(
            Upstreams(self._http),
            frozenset(one.args[0] for one in every(self._http) if one.name == "log_format" and one.args),
            tcp=self._tcp,
        )
        self._workers, self._connections = 1, DEFAULT_CONNECTIONS
        self._asks_workers = False

    def result(self) -> Converted:
        servers = [one for one in self._http if one.name == "server" and one.block is not None and not _is_udp(one)]
        if not servers and self._tcp:
            raise Invalid("stream has no server that listens by TCP: the load speaks no UDP.", code="no-tcp-server")
        if not servers:
            servers = [self._plain_server()]
        number, names = _choose(servers, self._choices.server)
        listening = listeners(servers[number])
        why_listeners(listening)
        main = self._block([one for one in self._main if one.name not in {self._around, "events"}], "main")
        events = [one for top in self._main if top.name == "events" for one in top.block or ()]
        parts = {
            "main": main,
            "events": self._block(events, "events"),
            "http": self._http_part(servers[number]),
            "server": self._block([one for one in servers[number].block or () if one.name != "listen"], "server"),
        }
        parts["http"] += tuple(self._added_groups())
        _move_logs(parts, servers[number].record, whole=any(one.name == "http" and one.block for one in self._main))
        return self._converted(parts, servers[number], listening, number, names)

    def _plain_server(self) -> Statement:
        """Where the files of ``http`` have none, its servers are in files that were not given."""
        at = next(top.record for top in self._main if top.name == "http")
        at.replace(say("no server block was given: one that serves files gets the load"))
        return Statement("server", (), (), at)

    def _converted(
        self,
        parts: dict[str, tuple[Made, ...]],
        server: Statement,
        listening: Sequence[Listener],
        number: int,
        names: dict[int, str],
    ) -> Converted:
        chosen = chosen_listener(listening)
        options = chosen.options if chosen else ()
        path = self._choices.path or _path(parts)
        if path == "":
            self._state.serves_files, path = True, f"/{SITE}/{{n}}"
            parts["server"] = (Made("root", (FILES,), None, server.record), *parts["server"])
        _name_pages(parts)
        if chosen is not None:
            tls = ("ssl",) if chosen.tls else ()
            chosen.statement.record.becomes = [" ".join(("listen", "@@address@@:@@http_port@@", *tls, *options)) + ";"]
        return Converted(
            parts=parts,
            records=self._records,
            workers=self._workers,
            connections=self._connections,
            tls=chosen is not None and chosen.tls,
            listen_options=" ".join(options),
            upstreams=self._state.upstreams.servers(),
            servers=names,
            server=number,
            path=path,
            host=_host(server),
            serves_files=self._state.serves_files,
            tcp=self._tcp,
            asks_workers=self._asks_workers,
            leave=self._build.leave if self._build is not None else Leave(),
        )

    def _http_part(self, chosen: Statement) -> tuple[Made, ...]:
        for one in self._http:
            if one.name == "server" and one is not chosen:
                one.record.drop(
                    say("it only redirects, so another server block gets the load")
                    if _redirects(one)
                    else say("another server block gets the load")
                )
                for inner in every(one.block or ()):
                    inner.record.drop(say("it belongs to a server block that gets no load"))
        return self._block([one for one in self._http if one.name != "server"], "http")

    def _block(self, statements: Sequence[Statement], context: str) -> tuple[Made, ...]:
        found: list[Made] = []
        for one in statements:
            found += self._one(one, context)
        return tuple(_first_of_each(found))

    def _one(self, one: Statement, context: str) -> Sequence[Made]:
        if self._is_setting(one, context):
            return []
        is_allowed = self._build is not None and self._build.leave.covers(one.name)
        why = None if context == "upstream" or is_allowed else left_out.reason(one.name, context)
        if why is None and self._build is not None and self._build.lacks(one.name, *one.args):
            why = say("nginx {version} does not have it", version=self._build.text)
        if one.name == "upstream" and len(one.args) != 1:
            why = say("a group has one name")
        if why is not None:
            one.record.drop(why)
            for inner in every(one.block or ()):
                inner.record.drop(say("it belongs to a block that is left out"))
            return []
        handler = (IN_UPSTREAM if context == "upstream" else HANDLERS).get(one.name)
        if handler is not None and one.block is None and one.args:
            return self._handled(handler, one, context)
        if one.block is not None:
            return [self._with_block(one, context)]
        return [Made(one.name, one.args, None, one.record)]

    def _handled(self, handler: Handler, one: Statement, context: str) -> Sequence[Made]:
        return handler(self._state, one, context)

    def _with_block(self, one: Statement, context: str) -> Made:
        args = one.args
        block = one.block or ()
        if one.name in {"map", "geo", "types", "split_clients", "charset_map"}:
            return Made(one.name, args, tuple(_data(block)), one.record)
        if one.name == "upstream" and args:
            self._state.group, self._state.instance = self._state.upstreams.name_of(args[0]), 0
            if args[0] != self._state.group:
                one.record.replace(say("names of groups are lower-case letters, digits, _ and -"))
            args = (self._state.group,)
        inner = "upstream" if one.name == "upstream" else one.name if one.name in {"if", "limit_except"} else "location"
        around = one.name in {"location", "if", "limit_except"} and bool(args)
        if around:
            self._state.locations.append(one)
        made = Made(one.name, args, self._block(block, inner), one.record)
        if inner == "upstream" and not any(child.place for child in made.block or ()):
            key = self._state.upstreams.declare(self._state.group, 1)
            one.record.replace(say("{group} is a declared upstream server", group=self._state.group))
            made = made.with_block((Made(f"@@upstream.{key}@@", (), None, one.record, place=True), *(made.block or ())))
        if around:
            self._state.locations.pop()
        return made

    def _is_setting(self, one: Statement, context: str) -> bool:
        """Whether it is a field of the experiment instead of a line of its configuration."""
        value = one.args[0] if one.args else ""
        if context == "main" and one.name == "worker_processes":
            self._asks_workers = not value.isdecimal()
            self._workers = min(256, max(1, int(value))) if value.isdecimal() else self._choices.workers
            one.record.replace(say("the experiment's number of workers: {number}", number=str(self._workers)))
        elif context == "events" and one.name == "worker_connections":
            self._connections = min(1_000_000, max(16, int(value))) if value.isdecimal() else DEFAULT_CONNECTIONS
            one.record.replace(say("the experiment's connections of a worker: {number}", number=str(self._connections)))
        elif one.name == "ssl" and context in {"http", "server"}:
            one.record.replace(say("the experiment serves by TLS, or does not"))
        else:
            return False
        return True

    def _added_groups(self) -> Iterator[Made]:
        """For addresses that stand in ``proxy_pass`` itself."""
        for name, at in self._state.upstreams.added.items():
            key = self._state.upstreams.declare(name, 1)
            place = Made(f"@@upstream.{key}@@", (), None, at, place=True)
            yield Made("upstream", (name,), (place,), at)


def _data(block: Sequence[Statement]) -> Iterator[Made]:
    for pair in block:
        yield Made(pair.name, pair.args, None, pair.record)


_REPEATABLE = frozenset(
    """
    access_log add_header add_trailer allow auth_request_set break charset_map deny error_page geo if
    if_modified_since include limit_conn limit_conn_zone limit_except limit_req limit_req_zone location log_format map
    mirror proxy_cache_path proxy_cache_valid proxy_cookie_domain proxy_cookie_flags proxy_cookie_path
    proxy_hide_header proxy_no_cache proxy_pass_header proxy_redirect proxy_set_header proxy_ssl_conf_command return
    rewrite server set set_real_ip_from split_clients ssl_conf_command sub_filter thread_pool types upstream userid
    """.split()  # noqa: SIM905 — as the lists of directives are written
) | {
    f"{protocol}_{name}"
    for protocol in ("fastcgi", "uwsgi", "scgi", "grpc")
    for name in ("param", "cache_path", "cache_valid", "hide_header", "no_cache", "pass_header", "set_header")
}


def _first_of_each(found: Sequence[Made]) -> Iterator[Made]:
    """nginx takes most directives once in a block: two that became the same are one."""
    seen: set[str] = set()
    for one in found:
        changed = one.record.action == "replaced"
        if not one.place and one.name not in _REPEATABLE and one.name in seen and changed:
            one.record.drop(say("{name} already stands here", name=one.name))
            continue
        seen.add(one.name)
        yield one


def _redirects(server: Statement) -> bool:
    """Whether it answers all requests with a redirect, or with nothing."""
    block = server.block or ()
    if any(one.name == "location" and any(inner.name.endswith("_pass") for inner in every([one])) for one in block):
        return False
    names = {one.name for one in block}
    answers = any(one.name in {"return", "rewrite"} for one in every(block)) or "ssl_reject_handshake" in names
    return answers and not names & {"root", "try_files", *PASSES}


def _is_udp(server: Statement) -> bool:
    return any(one.name == "listen" and "udp" in one.args for one in server.block or ())


def _title(server: Statement) -> str:
    names = next((one.args for one in server.block or () if one.name == "server_name"), ())
    listens = [one.args[0] for one in server.block or () if one.name == "listen" and one.args]
    return (
        " ".join([*names[:2], f"({', '.join(listens[:3]) or '80'})"]) + f" — {server.record.file}:{server.record.line}"
    )


def _choose(servers: Sequence[Statement], asked: int | None) -> tuple[int, dict[int, str]]:
    """The server block that gets the load, unless another was asked for: the longest of those that pass requests on,
    else of those that do not only redirect."""
    real = [number for number, one in enumerate(servers) if not _redirects(one)] or list(range(len(servers)))
    if asked is not None and not 0 <= asked < len(servers):
        raise Invalid(
            "There is no server block {asked}: the last of {count} is {last}.",
            asked=asked,
            count=len(servers),
            last=len(servers) - 1,
        )

    def weight(number: int) -> tuple[bool, int, int]:
        inner = list(every(servers[number].block or ()))
        return any(one.name.endswith("_pass") for one in inner), len(inner), -number

    longest = max(real, key=weight)
    return longest if asked is None else asked, {number: _title(servers[number]) for number in real}


def _move_logs(parts: dict[str, tuple[Made, ...]], at: Record, *, whole: bool) -> None:
    """Logs of ``http`` go into the server: in http, they would be of all servers of an experiment.

    ``whole``: the configuration has its http block, so nginx would write its own log if nothing said otherwise.
    """
    logs = [one for one in parts["http"] if one.name == "access_log"]
    parts["http"] = tuple(one for one in parts["http"] if one.name != "access_log")
    if any(one.name == "access_log" for one in parts["server"]):
        for one in logs:
            one.record.drop(say("the server has an access_log of its own"))
        return
    if not logs and whole and at.file:
        logs = [Made("access_log", (ACCESS_LOG,), None, at)]
    parts["server"] = (*logs, *parts["server"])


def _host(server: Statement) -> str | None:
    names = [word for one in server.block or () if one.name == "server_name" for word in one.args]
    return next((name for name in names if re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", name)), None)


_STATIC = ""
_NO_FILE = "/page"
"""No file is called so: what is tried last answers it."""


def _name_pages(parts: dict[str, tuple[Made, ...]]) -> None:
    """Files that are made have no extension and are pages: nginx calls them text/plain unless it is told otherwise."""
    own = (*parts["http"], *parts["server"])
    files = next((one for one in made_within(own) if one.name in {"root", "alias"}), None)
    told = any(one.name == "default_type" for one in own)
    if files is not None and not told:
        parts["server"] = (Made("default_type", ("text/html",), None, files.record), *parts["server"])


def _path(parts: Mapping[str, tuple[Made, ...]]) -> str:
    """What the load asks for: ``/`` where something answers it, the files that are made where files are served, or
    the first location that an upstream server answers; empty where nothing says how ``/`` is answered."""
    server = parts["server"]
    locations = [one for one in server if one.name == "location"]
    exact = [one for one in locations if one.args in {("=", "/"), ("/",), ("^~", "/")}]
    for one in exact or [replace(server[0], block=server)] if server else ():
        block = one.block or ()
        if any(inner.name in {*PASSES, "return", "rewrite"} for inner in block):
            return "/"
        last = next((inner.args[-1] for inner in block if inner.name == "try_files" and inner.args), "=")
        if not last.startswith("=") and last != f"/{FIRST_FILE}":
            return _NO_FILE
    if any(
        one.name == "root" for one in (*parts["http"], *server, *(inner for one in exact for inner in one.block or ()))
    ):
        return f"/{SITE}/{{n}}"
    return _of_first_location(locations)


def _of_first_location(locations: Sequence[Made]) -> str:
    for one in locations:
        prefix = one.args[-1] if one.args[:1] in {("=",), ("^~",)} or len(one.args) == 1 else ""
        if not prefix.startswith("/"):
            continue
        names = {inner.name: inner for inner in one.block or ()}
        if names.keys() & {*PASSES, "return"}:
            return prefix
        if "alias" in names:
            return f"{prefix}{SITE}/{{n}}"
        if "root" in names:
            return f"{prefix.rstrip('/')}/{SITE}/{{n}}" if prefix.startswith(f"/{SITE}") else _STATIC
    return _STATIC
