"""Random configurations that are after something: what performance engineers write, with baits worked into it.

A bait is a file, a socket or an address that no trial may touch. It gets into a directive as it is, through a variable
of the author, or through one whose value a client chooses. Many small attempts share one *setting*: the upstream
group's name and the author's variables.
"""

import random
import re
from collections import defaultdict

from definition.directive_variants import ALLOWED, variants
from definition.hostile.corpus import ALL as HOSTILE
from definition.refused_fragments import REFUSED
from ngxlab_policy import directives
from ngxlab_policy.arguments import RULES

SOCKETS = (":/run/docker.sock:/", ":/run/docker.sock:/", "unix:/run/docker.sock:/", "unix:/run/docker.sock")
FILES = (
    "/etc/passwd", "../../../../../etc/passwd", "/../../../../etc/passwd", "/proc/self/environ", "/tmp/bait", "/..",
    "@@folder@@/../other", "../nginx.conf", "|/tmp/bait", "syslog:server=10.0.0.1",
)  # fmt: skip
ADDRESSES = (
    "10.0.0.1", "10.0.0.1:80", "10.0.0.1/", "http://10.0.0.1/", "@10.0.0.1/", ":2375/", ".1:6379/", "[::1]:2375",
    "127.0.0.1:6379", "bait.test", "http://bait.test/",
)  # fmt: skip
_KINDS = (SOCKETS, FILES, ADDRESSES)
_OF_CLIENTS = (
    "$arg_u", "$http_x", "$cookie_a", "$uri", "$request_uri", "$document_uri", "$args", "$query_string", "$host", "$1",
    "${arg_u}", "${uri}", "$http_host", "$request_body", "$upstream_http_x", "$sent_http_x", "$remote_user",
    "$is_args$args", "$server_name", "$request_filename", "$document_root", "$realpath_root", "$proxy_host",
)  # fmt: skip
"""Variables that clients, or an upstream server's answers, fill."""
_STEMS = (
    "uri",
    "request_uri",
    "x",
    "uri",
    "request_uri",
    "args",
    "is_args",
    "host",
    "document_root",
    "http_x",
    "scheme",
)
_GROUPS = ("app", "app", "unix", "unix", "localhost", "http", "https", "127", "127.0.0", "a.b")
"""Names of upstream groups; most mean something else at the beginning of an address."""
_ZONES = """\
proxy_cache_path @@folder@@/cache keys_zone=c:1m;
limit_req_zone $binary_remote_addr zone=r:1m rate=10000r/s;
limit_conn_zone $server_name zone=n:1m;
charset_map koi8-r utf-8 { 80 E282AC; }
"""
"""What texts refer to."""
_MATCHES = ("/{0}", "/{0}/", "= /{0}", "^~ /{0}", "~ ^/{0}(.*)$", "~ ^/{0}/?(?<x>.*)$", "~* /{0}")
_BESIDE = ("", "", "", "root @@folder@@/files; ", "proxy_pass http://{0}; ", "return 200; ", "internal; ")
_WORD = re.compile(r"(?:\\.|\"[^\"]*\"|'[^']*'|\$\{|[^\s;{}])+")
_OWN_PLACES = {"main", "events", "http"}


def _sources() -> dict[str, dict[str, list[str]]]:
    """By fragment, by what it is about (a directive that has a rule, or none): sound and refused texts."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    refused = [(field, text) for field, text, _, _ in REFUSED]
    hostile = [(field, text) for field, text, _ in HOSTILE]
    for field, text in [*variants(ALLOWED), *refused, *hostile]:
        ruled = [word for word in re.findall(r"[a-z_]+", text) if word in RULES]
        for about in {*ruled} or {""}:
            found[field][about].append(text)
    return found


_SOURCES = _sources()
_DIRECTIVES = sorted(directives.HTTP | directives.MAIN | directives.EVENTS | directives.UPSTREAM)


class Setting:
    """``http`` and ``server``: what all attempts of this setting stand among."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._group = chance.choice(_GROUPS)
        self._names = [chance.choice(_STEMS) + chance.choice(("_x", "x")) for _ in range(4)]
        self.http = f'upstream {self._group} {{ {{{{ servers("app") }}}} }}\n{_ZONES}'
        self.server = ""
        for number, name in enumerate(dict.fromkeys(self._names)):
            field, text = self._carrier(name, chance.choice(_KINDS[number % len(_KINDS)]))
            if field == "http":
                self.http += f"{text}\n"
            else:
                self.server += f"{text}\n"

    def _carrier(self, name: str, bait: str) -> tuple[str, str]:
        """What puts a bait into a variable of the author."""
        return self._chance.choice(
            (
                ("server", f'set ${name} "{bait}";'),
                ("server", f"set ${name} '{self._chance.choice(_OF_CLIENTS)}';"),
                ("http", f'map $uri ${name} {{ default "{bait}"; }}'),
                ("http", f"map $arg_u ${name} {{ volatile; '' '{bait}'; default $arg_u; }}"),
                ("http", f"geo ${name} {{ default '{bait}'; }}"),
                ("http", f"split_clients $remote_addr ${name} {{ * '{bait}'; }}"),
                ("server", f"if ($request_uri ~ ^/[^/]*/?(?<{name}>.*)$) {{ set $y ${name}; }}"),
            )
        )

    def attempt(self, place: str) -> tuple[str, str]:
        """The fragment, and a text for it; one of a server is a location for what begins with ``/PLACE``."""
        if self._chance.random() < 0.04:
            field = self._chance.choice(sorted(_OWN_PLACES))
            return field, self._mutated(self._source(field))
        statement = self._built() if self._chance.random() < 0.5 else self._mutated(self._source("server"))
        if re.match(r"\s*location\b", statement):
            return "server", re.sub(r"location[^{]*", f"location {self._match(place)} ", statement, count=1)
        beside = self._chance.choice(_BESIDE).format(self._group)
        return "server", f"location {self._match(place)} {{ {beside}{statement} }}"

    def _match(self, place: str) -> str:
        return self._chance.choice(_MATCHES).format(place)

    def _source(self, field: str) -> str:
        about = self._chance.choice(sorted(_SOURCES[field]))
        text = self._chance.choice(_SOURCES[field][about])
        return text.replace("://app", f"://{self._group}")

    def _variable(self) -> str:
        return self._chance.choice(("${}", "${}", "${{{}}}")).format(self._chance.choice(self._names))

    def _piece(self) -> str:
        bait = self._chance.choice(self._chance.choice(_KINDS))
        other = self._chance.choice((self._chance.choice(_OF_CLIENTS), "/", "..", "/x", "\\", "%2e"))
        return self._chance.choice((self._variable(), self._variable(), bait, other))

    def _pieces(self) -> str:
        return "".join(self._piece() for _ in range(self._chance.choice((1, 1, 2, 3))))

    def _built(self) -> str:
        """A directive that may name files or servers, its arguments put together from pieces."""
        name = self._chance.choice((*["proxy_pass"] * len(RULES), *RULES))
        begin = {
            "proxy_pass": (*[f"http://{self._group}"] * 3, f"https://{self._group}", "http://", ""),
            "root": ("@@folder@@/files", "@@folder@@/store", ""),
            "alias": ("@@folder@@/files", "@@folder@@/files/", ""),
            "rewrite": ("^ ", "^/[^/]*(.*)$ ", "(?s)^/[^/]*/?(.*)$ /", "^ /"),
            "try_files": ("$uri ", "/a.txt ", "$uri/", "/"),
            "error_page": ("404 ", "404 =200 ", "404 /", "404 @"),
            "if": ("(", "($uri ~ ", "(-f "),
            "access_log": ("@@folder@@/access.log", ""),
            "proxy_store": ("@@folder@@/store", "@@folder@@/store$uri", ""),
            "upstream": ("",),
        }.get(name, ("", "/"))
        end = {
            "rewrite": ("", " last", " break"),
            "try_files": (" =404", " /a.txt", "", " /a.txt?$args", f" /a.txt?{self._piece()}"),
            "if": (")",),
        }.get(name, ("",))
        argument = f"{self._chance.choice(begin)}{self._pieces()}{self._chance.choice(end)}"
        if name == "access_log":
            written = (" combined buffer=4k", " buffer=1k flush=1s", " combined gzip", f" if={self._variable()}", "")
            argument += self._chance.choice(written)
        return f"if {argument} {{ set $z 1; }}" if name == "if" else f"{name} {argument};"

    def _mutated(self, text: str) -> str:
        for _ in range(self._chance.randint(0, 2)):
            text = self._changed(text)
        return text

    def _changed(self, text: str) -> str:
        """One word of it replaced, lengthened or added, or one statement put into it."""
        words = list(_WORD.finditer(text))
        if not words:
            return text
        word = self._chance.choice(words)
        put, old = self._pieces(), word[0]
        new = self._chance.choice(
            (
                put, f"{old}{put}", f"{old}{put}", f"{put}{old}", f"{old} {put}", f'"{put}"', f"'{old}{put}'",
                f"{old}/{put}", self._chance.choice(_DIRECTIVES), old.upper(), f"\\{old}", f'"{old}"',
                f"{old}; {self._source('server')} #\n", re.sub(r"\$\w+", lambda _: self._variable(), old),
            )
        )  # fmt: skip
        return text[: word.start()] + new + text[word.end() :]
