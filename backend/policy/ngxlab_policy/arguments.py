"""Rules for arguments of allowed directives: files only below the trial's folder, load only to declared servers."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network

from ngxlab_contracts.sentences import Sentence, say
from ngxlab_contracts.trials import UPSTREAM_VARIABLE_PREFIX, placeholder

from ngxlab_policy import servers
from ngxlab_policy.captures import captured_path_problem
from ngxlab_policy.owner import Leave

_FILES = f"{placeholder('folder')}/files"
_STORE = f"{placeholder('folder')}/store"
_CACHE = rf"{placeholder('folder')}/cache[A-Za-z0-9_-]*"
PASSWORDS = f"{placeholder('folder')}/htpasswd"
"""A file that the agent makes where a configuration names it."""
USER = "ngxlab"
_ACCESS_LOG = f"{placeholder('folder')}/access.log"
_MODULE_FILE = r"/(usr|opt)(/[\w+-][\w.+-]*)+\.so"
_MAX_POOL_THREADS = 1024
_REWRITE_WITH_FLAG = 3


@dataclass(frozen=True)
class Scope:
    """What a configuration may refer to. ``upstreams`` is None if the http fragment could not be parsed.

    ``dynamic``: the exact arguments that ``proxy_pass`` may have for groups that change while nginx runs.
    """

    upstream_servers: frozenset[str]
    upstreams: frozenset[str] | None
    dynamic: frozenset[str] = frozenset()
    own: Callable[[tuple[str, ...], str, Sequence[str]], bool] = lambda *_: False
    """Whether a directive, given with the context that crossplane names, is one of ngxlab's own and passes as it is."""
    protocols: Mapping[str, str] = field(default_factory=dict)
    """What the servers of an upstream speak, where it is known."""
    tls: Mapping[str, bool] = field(default_factory=dict)
    """Whether the servers of an upstream speak TLS, where it is known."""
    addresses: frozenset[str] = frozenset()
    """Variables, with their $ and in lower case, whose values are known to be addresses."""
    modules: frozenset[str] | None = None
    """The files that ``load_module`` may name; None where no host is known yet, whose owner decides."""
    leave: Leave = field(default_factory=Leave)
    """What the owner of the host allows beyond the list."""


Rule = Callable[[Sequence[str], Scope], Sentence | None]
"""Returns why the arguments are not acceptable, or None."""


def _below_files(args: Sequence[str], _: Scope) -> Sentence | None:
    path = args[0]
    for top in (_FILES, _STORE):
        below = path.removeprefix(top)
        if below != path and not ("$" in path or ".." in path or (below and not is_clean(below))):
            return None
    return say(
        "must be {files} or a folder below it, without variables and without '..' (or {store}, of proxy_store)",
        files=_FILES,
        store=_STORE,
    )


def alias_problem(location: Sequence[str], alias: str) -> Sentence | None:
    """nginx puts what follows the location's name behind the alias: ``/x../`` in ``location /x`` gives ``../``."""
    name = location[-1]
    if location[0] in {"~", "~*", "="} or name.startswith(("~", "=")):
        return None  # the alias is the whole path
    if name.endswith("/") and alias.endswith("/"):
        return None
    return say(
        "both the location and its alias must end with '/', as in location {example}", example=f"{name.rstrip('/')}/"
    )


_URIS = ("/", "/x", "/x/")
"""What may stand for any clean path where it is joined to something: how it ends is what matters."""


def _try_files(args: Sequence[str], _: Scope) -> Sentence | None:
    *files, last = args
    for arg in files:
        names = set(re.findall(r"\$\{?(\w*)", arg))
        joined = [re.sub(r"\$uri|\$\{uri\}", uri, arg) for uri in _URIS]
        if ".." in arg or names - {"uri"} or not all(is_clean(path) for path in joined):
            return say("{path}: only $uri and paths from /, without segments of dots, and without '..'", path=arg)
    # nginx splits what it made of the last at its first ?, so with one of the text itself all behind it is a query
    # string, whatever variables give. One of a variable would not do: a client may send it as %3F.
    path, asked, _query = last.partition("?")
    if not (re.match(r"[=@]", last) or (is_fixed(path) and ".." not in (path if asked else last))):
        return say(
            "{path}: the last must be a fixed path, a @location or a =code, without '..'; variables may stand behind "
            "a ?, as in /index.php?$args",
            path=last,
        )
    return None


def _index(args: Sequence[str], _: Scope) -> Sentence | None:
    if any(".." in arg or "$" in arg or not is_clean(f"/{arg.removeprefix('/')}") for arg in args):
        return say("must be plain file names, without variables and without '..'")
    return None


def _rewrite(args: Sequence[str], _: Scope) -> Sentence | None:
    """nginx joins a rewritten path to root as it is, so captures must not be able to put ``..`` together."""
    if len(args) == _REWRITE_WITH_FLAG and args[-1] in {"redirect", "permanent"}:
        return None
    if is_elsewhere(args[1]) and ".." not in args[1]:
        return None
    path = args[1].partition("?")[0]
    if ".." in path or not path.startswith(("/", "$")) or not is_clean(f"/{path.lstrip('/')}"):
        return say(
            "the new path must begin with / and be without segments of dots, and without variables other than "
            "captures, unless the flag is redirect"
        )
    if "$" in path and (problem := captured_path_problem(args[0], path)):
        return say("the new path must be clean whatever is asked for: {problem}", problem=problem)
    return None


def _error_page(args: Sequence[str], _: Scope) -> Sentence | None:
    page = args[-1]
    if ".." in page or "$" in page or not (page.startswith("@") or is_fixed(page) or is_elsewhere(page)):
        return say("the page must be a fixed path from / or a @location, without variables and segments of dots")
    return None


def _proxy_pass(args: Sequence[str], scope: Scope) -> Sentence | None:
    """Behind the upstream's name may stand what begins with a /: a path, or one of nginx's two variables that are one.

    A longer name, such as ``$uri_x``, is a variable of the author's, whose value could change what is connected to.
    """
    if args[0] in scope.dynamic:
        return None
    match = re.fullmatch(r"https?://([A-Za-z0-9_.-]+)((/|\$(request_uri|uri)(?!\w))\S*)?", args[0], re.ASCII)
    if match is None:
        return say(
            "{address} must be http://UPSTREAM or https://UPSTREAM, without variables before the path, where UPSTREAM "
            "is defined in nginx.http",
            address=args[0],
        )
    return (
        _unknown_upstream(match[1], scope)
        or _other_protocol("http", match[1], scope)
        or _tls_problem(match[1], "http", scope, is_asked=args[0].startswith("https"))
    )


def _unknown_upstream(name: str, scope: Scope) -> Sentence | None:
    if scope.upstreams is None or name in scope.upstreams:
        return None
    names = ", ".join(sorted(scope.upstreams))
    if not names:
        return say("there is no upstream {upstream} in nginx.http; it defines none", upstream=name)
    return say("there is no upstream {upstream} in nginx.http; it defines {names}", upstream=name, names=names)


def _tls_problem(upstream: str, scheme: str, scope: Scope, *, is_asked: bool) -> Sentence | None:
    tls = scope.tls.get(upstream)
    if tls is None or is_asked == tls:
        return None
    if tls:
        return say(
            "the servers of {upstream} speak TLS: write {address}, or switch tls of upstream_servers off",
            upstream=upstream,
            address=f"{scheme}s://{upstream}",
        )
    return say(
        "the servers of {upstream} speak plain {protocol}: write {address}, or switch tls of upstream_servers on",
        upstream=upstream,
        protocol=scheme.upper(),
        address=f"{scheme}://{upstream}",
    )


PASSING = ("proxy", "fastcgi", "uwsgi", "scgi", "grpc")
"""What begins the names of directives whose upstream servers may send X-Accel-Redirect."""


def _other_protocol(asked: str, upstream: str, scope: Scope) -> Sentence | None:
    spoken = scope.protocols.get(upstream, asked)
    if spoken == asked:
        return None
    directive = "proxy_pass" if spoken == "http" else f"{spoken}_pass"
    return say(
        "the servers of {upstream} speak {spoken}: use {directive}, or protocol {asked} of upstream_servers",
        upstream=upstream,
        spoken=spoken,
        directive=directive,
        asked=asked,
    )


def _pass_by(protocol: str, schemes: str = "") -> Rule:
    """The rule for ``fastcgi_pass`` and the like: a group whose servers are declared, without variables."""

    def rule(args: Sequence[str], scope: Scope) -> Sentence | None:
        match = re.fullmatch(rf"({schemes})([A-Za-z0-9_.-]+)", args[0], re.ASCII)
        if match is None:
            return say(
                "{address} must be the name of an upstream that is defined in nginx.http, without variables",
                address=args[0],
            )
        if problem := _unknown_upstream(match[2], scope) or _other_protocol(protocol, match[2], scope):
            return problem
        return _tls_problem(match[2], "grpc", scope, is_asked=match[1] == "grpcs://") if protocol == "grpc" else None

    return rule


def _tcp_pass(args: Sequence[str], scope: Scope) -> Sentence | None:
    """What nginx passes on by TCP it does not look into, so neither path nor scheme belongs to it."""
    if scope.upstreams is not None and args[0] not in scope.upstreams:
        return say(
            "{address} must be the name of an upstream that is defined in nginx.http, without scheme and path",
            address=args[0],
        )
    if scope.tls.get(args[0]):
        return say(
            "the servers of {upstream} speak TLS, which nothing here does: switch tls of upstream_servers off",
            upstream=args[0],
        )
    return _other_protocol("http", args[0], scope)


def _ignored_headers(args: Sequence[str], _: Scope) -> Sentence | None:
    """Replaces what ngxlab writes: an upstream server's X-Accel-Redirect may hold dots that nginx overlooks."""
    if "x-accel-redirect" not in {arg.lower() for arg in args}:
        return say("X-Accel-Redirect must be among the headers, as ngxlab has it where there is no such line")
    return None


def _upstream_server(args: Sequence[str], scope: Scope) -> Sentence | None:
    is_place = len(args) == 1 and args[0].startswith(f"@@{UPSTREAM_VARIABLE_PREFIX}")
    if is_place and servers.key_of(args[0].strip("@"), scope.upstream_servers) is not None:
        return None
    return say(
        "only declared upstream servers are allowed: write {call} on a line of its own instead, or with options: "
        "{example}",
        call=servers.CALL,
        example=servers.EXAMPLE,
    )


def _upstream(args: Sequence[str], scope: Scope) -> Sentence | None:
    if f"http://{args[0]}" in scope.dynamic:
        return say("{name} is already the name of a group in nginx.upstreams", name=args[0])
    if len(args) == 1 and not re.fullmatch(r"[a-z][a-z0-9_-]*", args[0]):
        return say("{name} must be lower-case letters, digits, _ and -, beginning with a letter", name=args[0])
    return name_problem(args[0])


_NAMES_OF_OTHERS = frozenset({"unix", "http", "https", "localhost"})
"""``unix:`` at the beginning of an address makes nginx connect to a socket of the machine."""


def name_problem(upstream: str) -> Sentence | None:
    """Why no upstream may have this name."""
    if upstream in _NAMES_OF_OTHERS:
        return say("{name} means something else in an address: choose another name, such as app", name=upstream)
    return None


_LOG_OPTION = r"[A-Za-z_][\w-]*|buffer=\d+[kKmM]?|gzip(=[1-9])?|flush=[\dsmhd]+|if=\$\{?\w+\}?"


def _access_log(args: Sequence[str], _: Scope) -> Sentence | None:
    """What is logged, when and how often it is written is the experiment's, for what a log costs is a question
    that people ask; the file is one of the trial's folder."""
    if list(args) == ["off"]:
        return None
    if args[0] != _ACCESS_LOG:
        return say(
            "must be off, or {log} with buffer=, gzip, flush=, if= and the name of a format as you like",
            log=_ACCESS_LOG,
        )
    wrong = next((arg for arg in args[1:] if not re.fullmatch(_LOG_OPTION, arg, re.ASCII)), None)
    if wrong is None:
        return None
    return say("{word} is none of a format's name, buffer=SIZE, gzip=LEVEL, flush=TIME and if=$VARIABLE", word=wrong)


def _condition(args: Sequence[str], _: Scope) -> Sentence | None:
    if re.match(r"\(\s*\$", " ".join(args)):
        return None
    return say("the condition must begin with a variable, as in ($request_method = POST); it cannot test files")


def _body_in_file(args: Sequence[str], _: Scope) -> Sentence | None:
    return None if args[0] in {"off", "clean"} else say("must be off or clean, so that no file is left behind")


def _thread_pool(args: Sequence[str], _: Scope) -> Sentence | None:
    for arg in args[1:]:
        match = re.fullmatch(r"(threads|max_queue)=(\d{1,9})", arg)
        if match is None:
            return say("{word} must be threads=N or max_queue=N", word=arg)
        if match[1] == "threads" and not 1 <= int(match[2]) <= _MAX_POOL_THREADS:
            return say("threads must be between 1 and {most}", most=_MAX_POOL_THREADS)
    return None


def _subrequest(args: Sequence[str], _: Scope) -> Sentence | None:
    if args[0] == "off" or (is_fixed(args[0]) and ".." not in args[0]):
        return None
    return say("must be off or a fixed path from /, without variables and segments of dots")


def _cache_path(args: Sequence[str], _: Scope) -> Sentence | None:
    if not re.fullmatch(_CACHE, args[0], re.ASCII):
        return say(
            "the folder must be {folder}, or one whose name begins so, as in cache-small",
            folder=f"{placeholder('folder')}/cache",
        )
    wrong = next((arg for arg in args[1:] if not re.fullmatch(r"[a-z_]+=[\w:.-]+", arg, re.ASCII)), None)
    return say("{word} must be NAME=VALUE", word=wrong) if wrong is not None else None


def _store(args: Sequence[str], _: Scope) -> Sentence | None:
    below = args[0].removeprefix(_STORE)
    fixed = below.removesuffix("$uri")
    if args[0] == "off" or (below not in {args[0], ""} and not set("$.") & set(fixed) and is_clean(fixed or "/")):
        return None
    return say(
        "must be off, or {store}$uri or a path below {store}; serve what it stores with root {store}", store=_STORE
    )


def _affinity(args: Sequence[str], _: Scope) -> Sentence | None:
    masks = args[1:] if args[0] == "auto" else args
    if all(re.fullmatch(r"[01]{1,1024}", mask, re.ASCII) for mask in masks):
        return None
    return say("must be auto, or a mask of CPUs for each worker, such as 01 10")


def _passwords(args: Sequence[str], _: Scope) -> Sentence | None:
    if list(args) == [PASSWORDS]:
        return None
    return say(
        "must be {file}, which has the user {user} with the password {user}: let a stream send them",
        file=PASSWORDS,
        user=USER,
    )


def _priority(args: Sequence[str], _: Scope) -> Sentence | None:
    fits = re.fullmatch(r"[0-9]|1[0-9]|20", args[0], re.ASCII)
    return None if fits else say("must be 0 to 20: nginx runs unprivileged")


_TLS_COMMANDS = frozenset(
    """
    options ciphersuites cipherstring curves groups signaturealgorithms clientsignaturealgorithms minprotocol
    maxprotocol protocol recordpadding numtickets ecdhparameters
    """.split()  # noqa: SIM905 — as the other lists of names are written
)
"""Commands of ``SSL_CONF_cmd`` that name no file, in lower case as OpenSSL compares them."""


def _tls_command(args: Sequence[str], _: Scope) -> Sentence | None:
    if args[0].lower() in _TLS_COMMANDS and "$" not in args[0]:
        return None
    return say(
        "{command} is not one of Options (KTLS), Ciphersuites, Curves, MinProtocol and others that read no file",
        command=args[0],
    )


def is_module_file(path: str) -> bool:
    """Whether an owner may let it be loaded: a whole path, one way to write it, where only root installs files."""
    return re.fullmatch(_MODULE_FILE, path, re.ASCII) is not None


def _module(args: Sequence[str], scope: Scope) -> Sentence | None:
    """A module's code runs in nginx, so the owner of the host names each file that may be loaded there."""
    if not is_module_file(args[0]):
        return say(
            "{path} must be the whole path of a module's file (.so) below /usr or /opt, one that the owner of the "
            "host allows: nginx_modules in its caps.toml",
            path=args[0],
        )
    if scope.modules is None or args[0] in scope.modules:
        return None
    names = ", ".join(sorted(scope.modules)) or say("none")
    return say(
        "the owner of this host does not allow {path}; allowed: {names} (nginx_modules in caps.toml)",
        path=args[0],
        names=names,
    )


def _source_address(args: Sequence[str], scope: Scope) -> Sentence | None:
    """Without a port, which might be that of a service of the host."""
    if "transparent" in args:
        return say("transparent needs privileges that no trial has")
    place = re.sub(r"\$\{(\w+)\}", r"$\1", args[0]).lower()
    if place in {"off", "$remote_addr", "$server_addr"} or place in scope.addresses or is_address(place):
        return None
    return say(
        "{address} must be an address without a port, off, $remote_addr, $server_addr, or a variable to which only "
        "split_clients, map or geo in nginx.http give values, which all are such addresses",
        address=args[0],
    )


def is_address(text: str) -> bool:
    """Without a port; of version 6 in brackets."""
    try:
        ip_address(text[1:-1] if text.startswith("[") and text.endswith("]") else text)
    except ValueError:
        return False
    return ":" not in text or text.startswith("[")


def _networks(args: Sequence[str], _: Scope) -> Sentence | None:
    """nginx looks a name up while it reads the configuration."""
    if args[0] == "unix:":
        return None
    try:
        ip_network(args[0], strict=False)
    except ValueError:
        return say("{address} must be an address or a network, such as 10.0.0.0/8, or unix:", address=args[0])
    return None


RULES: Mapping[str, Rule] = {
    "set_real_ip_from": _networks,
    "load_module": _module,
    "add_after_body": _subrequest,
    "add_before_body": _subrequest,
    "auth_request": _subrequest,
    "mirror": _subrequest,
    "proxy_cache_path": _cache_path,
    "proxy_ssl_conf_command": _tls_command,
    "proxy_store": _store,
    "ssl_conf_command": _tls_command,
    "auth_basic_user_file": _passwords,
    "worker_cpu_affinity": _affinity,
    "worker_priority": _priority,
    "root": _below_files,
    "alias": _below_files,
    "try_files": _try_files,
    "index": _index,
    "rewrite": _rewrite,
    "error_page": _error_page,
    "proxy_pass": _proxy_pass,
    **{f"{name}_ignore_headers": _ignored_headers for name in PASSING},
    **{f"{name}_bind": _source_address for name in (*PASSING, "memcached")},
    **{f"{name}_cache_path": _cache_path for name in ("fastcgi", "uwsgi", "scgi")},
    **{f"{name}_store": _store for name in ("fastcgi", "uwsgi", "scgi")},
    "fastcgi_pass": _pass_by("fastcgi"),
    "uwsgi_pass": _pass_by("uwsgi", "(?:uwsgi://)?"),
    "scgi_pass": _pass_by("scgi"),
    "memcached_pass": _pass_by("memcached"),
    "grpc_pass": _pass_by("grpc", "(?:grpcs?://)?"),
    "server": _upstream_server,
    "upstream": _upstream,
    "access_log": _access_log,
    "if": _condition,
    "client_body_in_file_only": _body_in_file,
    "thread_pool": _thread_pool,
}


STREAM_RULES: Mapping[str, Rule] = {**RULES, "proxy_pass": _tcp_pass}
"""Where nginx passes on connections."""


def is_clean(path: str) -> bool:
    """Absolute, and without segments of dots alone: whatever clean paths are joined to stays what it is."""
    return path.startswith("/") and not any(re.fullmatch(r"\.+", segment) for segment in path.split("/"))


def is_fixed(path: str) -> bool:
    """A path, with a query string perhaps, to which a request may be sent on."""
    return "$" not in path and is_clean(path.partition("?")[0])


def is_elsewhere(target: str) -> bool:
    """nginx answers with a redirect to it."""
    return re.match(r"https?://", target) is not None and "$" not in target
