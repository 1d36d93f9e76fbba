"""The nginx under test: fragments of its configuration, and the upstream groups that change while it runs."""

from typing import Annotated, Literal

from ngxlab_contracts.files import FileSet
from ngxlab_contracts.trials import ColdFiles
from pydantic import Field

from ngxlab.definition.schema.base import (
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

    key: Key
    nodes: Annotated[Templated, Within(1, 20_000)]
    server: Key
    health_check: Annotated[TemplatedText, Field(max_length=200)] | None = None


class DynamicUpstreams(DefinitionModel):
    """Upstream groups that a churn changes while nginx runs. In ``proxy_pass``, write ``{{ upstream("KEY") }}``.

    ``through``: ``lua`` serves the dyups API by Lua on a stock nginx, ``tengine`` is the real dyups module of a
    registered Tengine, ``reload`` rewrites the file of upstreams and reloads nginx. Workers look for changes every
    ``read_interval_ms`` (``dyups_read_msg_timeout``). ``lock_us_per_node`` (Lua only): for each node of a change, every
    worker holds one shared lock this long. That part is *simulated*, and every page says so. With ``trylock``, a change
    that finds the lock taken is refused (409) and nobody waits. ``health_check`` (Tengine only): the arguments of its
    ``check`` directive, such as ``interval=3000 rise=2 fall=5 timeout=1000 type=tcp``; empty: none.
    """

    through: Literal["lua", "tengine", "reload"]
    groups: Annotated[list[UpstreamGroup], Field(min_length=1, max_length=1000)]
    read_interval_ms: Annotated[Templated, Within(10, 60_000)] = 1000
    lock_us_per_node: Annotated[TemplatedNumber, Within(0, 100_000, whole=False)] = 0
    trylock: bool = False
    health_check: Annotated[TemplatedText, Field(max_length=200)] = ""


class NginxTemplate(DefinitionModel):
    """Fragments of nginx.conf (Jinja over the variables of an arm's levels).

    ngxlab writes the rest: process, pid, error log, temp paths, listeners, TLS and the status server. The allow-list of
    :mod:`ngxlab_policy.fragments` says which directives each fragment may contain. ``http`` may define
    upstreams: ``{{ servers("KEY") }}`` inside ``upstream`` stands for the instances of an upstream server.
    ``ports``: how many ports receive the load. ``request_times``: nginx logs how long each request and its upstream
    took, by its own clock, into a buffered log that the agent reads. ``cold_files``: how files with ``cold`` are kept
    out of the page cache. ``build``: the nginx of arms whose levels name none; without it, the one chosen for the run.
    """

    workers: Annotated[Templated, Within(1, 256)]
    worker_connections: Annotated[Templated, Within(16, 1_000_000)]
    main: TemplatedText = ""
    events: TemplatedText = ""
    http: TemplatedText = ""
    listen_options: Annotated[str, Field(max_length=500)] = ""
    server: TemplatedText
    tls: bool = False
    files: list[FileSet] = []
    ports: Annotated[Templated, Within(1, 64)] = 1
    request_times: bool = False
    cold_files: ColdFiles | None = None
    upstreams: DynamicUpstreams | None = None
    build: BuildKey | None = None
