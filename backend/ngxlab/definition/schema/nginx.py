"""The nginx under test: fragments of its configuration, and the upstream groups that change while it runs."""

from typing import Annotated, Literal

from ngxlab_contracts.fields import field
from ngxlab_contracts.files import FileSet
from ngxlab_contracts.trials import MOST_CERTIFICATES, ColdFiles
from pydantic import Field

from ngxlab.definition.schema.base import (
    KEY,
    BuildKey,
    DefinitionModel,
    Key,
    Templated,
    TemplatedNumber,
    TemplatedText,
    Within,
)


class UpstreamGroup(DefinitionModel):
    """``nodes`` servers that use the instances of the upstream server with key ``server`` in turn.

    ``health_check`` None: the one of all groups, see :class:`DynamicUpstreams`; an empty text: none.
    """

    key: Annotated[Key, field(KEY, label="Group", code="line")]
    nodes: Annotated[Templated, Within(1, 20_000), field("how many servers the group has", label="Nodes")]
    server: Annotated[
        Key, field("key of the upstream server whose instances they use in turn", label="Upstream server")
    ]
    health_check: Annotated[
        Annotated[TemplatedText, Field(max_length=200)] | None, field("as for all groups, for this one alone")
    ] = None


class DynamicUpstreams(DefinitionModel):
    """Upstream groups that a churn changes while nginx runs. In ``proxy_pass``, write ``{{ upstream("KEY") }}``.

    ``through``: ``lua`` serves the dyups API by Lua on a stock nginx, ``tengine`` is the real dyups module of a
    registered Tengine, ``reload`` rewrites the file of upstreams and reloads nginx. Workers look for changes every
    ``read_interval_ms`` (``dyups_read_msg_timeout``). ``lock_us_per_node`` (Lua only): for each node of a change, every
    worker holds one shared lock this long. That part is *simulated*, and every page says so. With ``trylock``, a change
    that finds the lock taken is refused (409) and nobody waits. ``health_check`` (Tengine only): the arguments of its
    ``check`` directive, such as ``interval=3000 rise=2 fall=5 timeout=1000 type=tcp``; empty: none.
    """

    through: Annotated[
        Literal["lua", "tengine", "reload"],
        field(
            "lua: Lua on a stock nginx; tengine: the dyups module of a registered Tengine; "
            "reload: rewrite the file of upstreams and reload nginx",
            label="Changed by",
            choices={"lua": "dyups API in Lua", "tengine": ("Tengine dyups",), "reload": "file and reload"},
        ),
    ]
    groups: Annotated[list[UpstreamGroup], field("the upstream groups", min_length=1, max_length=1000)]
    read_interval_ms: Annotated[
        Templated,
        Within(10, 60_000),
        field("time between two looks of a worker for changes", label="Workers poll every", unit="ms"),
    ] = 1000
    lock_us_per_node: Annotated[
        TemplatedNumber,
        Within(0, 100_000, whole=False),
        field(
            "how long every worker holds the shared lock for each node of a change (lua); simulated",
            label="Lock held per node",
            unit="µs",
        ),
    ] = 0
    trylock: Annotated[
        bool,
        field(
            "a change that finds the lock taken is refused with 409 instead of waiting",
            label="Answer 409 while the lock is held",
        ),
    ] = False
    health_check: Annotated[
        TemplatedText,
        field(
            "arguments of Tengine's check directive; empty for none",
            max_length=200,
            label="Health check",
            code="line",
            placeholder=("off", "health check"),
            note="Arguments of Tengine's check directive, such as interval=3000 rise=2 fall=5 timeout=1000 type=tcp.",
        ),
    ] = ""


class NginxTemplate(DefinitionModel):
    """Fragments of nginx.conf (Jinja over the variables of an arm's levels).

    ngxlab writes the rest: process, pid, error log, temp paths, listeners, TLS and the status server. The allow-list of
    :mod:`ngxlab_policy.fragments` says which directives each fragment may contain. ``http`` may define
    upstreams: ``{{ servers("KEY") }}`` inside ``upstream`` stands for the instances of an upstream server.
    ``ports``: how many ports receive the load. ``request_times``: nginx logs how long each request and its upstream
    took, by its own clock, into a buffered log that the agent reads. ``certificate_key`` and ``certificate_chain``:
    of the certificate that is made where ``tls`` is on. ``tcp``: connections are passed on, whatever they carry
    (nginx's ``stream``): ``http`` is then written into ``stream``, and ``server`` into its server. ``cold_files``: how
    files with ``cold`` are kept out of the page cache. ``build``: the nginx of arms whose levels name none; without it,
    the one chosen for the run.
    """

    workers: Annotated[Templated, Within(1, 256), field("worker processes", label="Workers")]
    worker_connections: Annotated[
        Templated,
        Within(16, 1_000_000),
        field(
            "connections that each worker may have open, with those to upstream servers", label="Connections per worker"
        ),
    ]
    main: Annotated[
        TemplatedText,
        field(
            "configuration outside of all blocks; load_module of files that the host's owner names in caps.toml",
            label=("main",),
            placeholder=("thread_pool default threads=32;",),
            code="nginx",
        ),
    ] = ""
    allow_directives: Annotated[
        str,
        field(
            "directives beyond ngxlab's list that the experiment needs, such as more_set_headers, separated by blanks; "
            "the owner of the target's host has to allow them (allow_directives in caps.toml)",
            max_length=1000,
            label="Directives beyond the list",
            code="line",
            placeholder=("more_set_headers",),
            note="Names separated by blanks. The owner of the host has to allow them: allow_directives in caps.toml.",
        ),
    ] = ""
    events: Annotated[
        TemplatedText,
        field("configuration inside events", label=("events",), placeholder=("multi_accept on;",), code="nginx"),
    ] = ""
    http: Annotated[
        TemplatedText,
        field(
            'configuration inside http; {{ servers("KEY") }} stands for the instances of an upstream server',
            label=("http",),
            code="nginx",
        ),
    ] = ""
    listen_options: Annotated[
        str,
        field(
            "what follows the port in listen, such as reuseport backlog=511",
            max_length=500,
            label="Listen options",
            code="line",
            placeholder=("reuseport backlog=511",),
        ),
    ] = ""
    server: Annotated[
        TemplatedText,
        field(
            "configuration inside the server block under test",
            label=("server",),
            note="Inside the server block under test.",
            code="nginx",
        ),
    ]
    tls: Annotated[
        bool,
        field(
            "serve by TLS, with a certificate made for the run; streams then use https",
            label=("TLS",),
            note="Uses a certificate generated for the run; streams then use https.",
        ),
    ] = False
    tcp: Annotated[
        bool,
        field(
            "pass on connections by TCP instead of requests by HTTP: http is then written into nginx's stream, and "
            "server into its server, which needs a proxy_pass to an upstream",
            label=("TCP",),
            note="nginx passes on connections: http is written into its stream, and server into the server there.",
        ),
    ] = False
    certificate_key: Annotated[
        str,
        field(
            "the key of that certificate: p256 (ECDSA), rsa2048, rsa3072 or rsa4096, or an expression over the arm's "
            "variables such as {{ key }}",
            max_length=200,
            label="Key of the certificate",
            code="line",
            placeholder=("p256",),
            note="p256, rsa2048, rsa3072 or rsa4096, or a variable of the arm in double braces.",
        ),
    ] = "p256"
    certificate_chain: Annotated[
        Templated,
        Within(1, MOST_CERTIFICATES),
        field(
            "how many certificates a handshake sends: the server's own, and those that each signed the one before",
            label="Certificates in the chain",
        ),
    ] = 1
    files: Annotated[list[FileSet], field("sets of files made for each trial and served from @@folder@@/files")] = []
    ports: Annotated[Templated, Within(1, 64), field("how many ports receive the load", label="Ports")] = 1
    request_times: Annotated[
        bool,
        field(
            "nginx logs how long each request and its upstream took, which worker served it, how a cache answered and "
            "what compression saved, and the agent reads it",
            label="Request times measured by nginx",
            note="nginx logs the time of each request and of its upstream, its worker, how a cache answered and what "
            "compression saved to a buffered access log, which the agent reads.",
        ),
    ] = False
    cold_files: Annotated[ColdFiles | None, field("how sets of files with cold are kept out of the page cache")] = None
    upstreams: Annotated[DynamicUpstreams | None, field("upstream groups that change while nginx runs")] = None
    build: Annotated[
        BuildKey | None, field("the nginx of arms whose levels name none; without it, the one chosen for the run")
    ] = None
