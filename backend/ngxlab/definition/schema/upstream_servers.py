"""The servers behind the nginx under test."""

from typing import Annotated, Literal

from ngxlab_contracts.fields import field
from ngxlab_contracts.trials import UpstreamProtocol
from pydantic import Field

from ngxlab.definition.schema.base import (
    KEY,
    SLOT,
    DefinitionModel,
    Key,
    Templated,
    TemplatedNumber,
    TemplatedText,
    Within,
)

_ResponseBytes = Annotated[
    Templated,
    Within(0, 1 << 20),
    field(
        "size of each response's body; a number, or an expression over the arm's variables", label="Response", unit="B"
    ),
]


class Sink(DefinitionModel):
    """Reads any body and answers 200 with ``response_bytes`` of ``content``: ``text`` is one letter, which compresses
    to nearly nothing, ``html`` is paragraphs, which compress as pages do."""

    kind: Annotated[Literal["sink"], field("sink: reads any body and answers 200")] = "sink"
    response_bytes: _ResponseBytes = 2
    content: Annotated[
        Literal["text", "html"],
        field(
            "text: one letter, which compresses to nearly nothing; html, with http: paragraphs, which compress as "
            "pages do",
            label="Content",
            choices={"text": ("Text", "content"), "html": ("HTML",)},
        ),
    ] = "text"


class Slow(DefinitionModel):
    """Answers after ``delay_ms``: ``distribution`` ``uniform`` varies it by ± ``spread_ms``, ``exponential`` makes it
    the mean. With http or grpc, it needs nginx's Lua module on the host of the upstream server."""

    kind: Annotated[
        Literal["slow"], field("slow: answers after a delay (with http or grpc, it needs nginx's Lua module)")
    ] = "slow"
    delay_ms: Annotated[
        TemplatedNumber,
        Within(0, 600_000, whole=False),
        field("the delay; its mean for exponential", label="Delay", unit="ms"),
    ]
    distribution: Annotated[
        Literal["constant", "uniform", "exponential"],
        field(
            "constant, uniform within the spread, or exponential",
            label="Distribution",
            choices={
                "constant": ("constant", "distribution"),
                "uniform": "uniform, ± spread",
                "exponential": ("exponential", "distribution"),
            },
        ),
    ] = "constant"
    spread_ms: Annotated[
        TemplatedNumber,
        Within(0, 600_000, whole=False),
        field("the delay varies by plus or minus this much (uniform)", label="Spread", unit="± ms"),
    ] = 0
    response_bytes: _ResponseBytes = 2


class Echo(DefinitionModel):
    """Speaks WebSocket, and sends each message back after ``delay_ms``; one after the other, as they came on a
    connection. A program of ngxlab's own, with as many processes as ``workers``. To plain HTTP it answers 200, with
    what it counted."""

    kind: Annotated[Literal["echo"], field("echo: speaks WebSocket, and sends each message back")] = "echo"
    delay_ms: Annotated[
        TemplatedNumber,
        Within(0, 600_000, whole=False),
        field("how long it keeps each message", label="Delay", unit="ms"),
    ] = 0


class UpstreamServer(DefinitionModel):
    """An upstream server: an nginx of its own with ``instances`` ports, on the host that plays ``slot``.

    Its behaviour is either a ready-made ``behaviour`` or the ``server`` fragment. ``workers``: of that nginx.
    ``protocol``: which directive asks it: ``proxy_pass`` (``http``), ``grpc_pass``, ``fastcgi_pass``, ``uwsgi_pass``,
    ``scgi_pass`` or ``memcached_pass``. All but HTTP need a ready-made behaviour; FastCGI, uwsgi, SCGI and memcached
    are spoken by a program of ngxlab's own, with ``workers`` processes. ``tls``:
    it is asked by ``https://``, and has a certificate made for the trial, which nothing can verify.
    """

    key: Annotated[Key, field(KEY, label="Key", code="line")]
    slot: Annotated[Key, field(SLOT, label="Slot", code="line")]
    instances: Annotated[int, field("how many ports it listens on", ge=1, le=1000, label="Instances")] = 1
    workers: Annotated[int, field("worker processes of its nginx", ge=1, le=256, label="Workers")] = 1
    protocol: Annotated[
        UpstreamProtocol,
        field(
            "what it speaks, and so the directive that asks it: proxy_pass (http), grpc_pass, fastcgi_pass, "
            "uwsgi_pass, scgi_pass or memcached_pass",
            label="Protocol",
            choices={
                "http": ("HTTP/1.1",),
                "grpc": ("gRPC",),
                "fastcgi": ("FastCGI",),
                "uwsgi": ("uwsgi",),
                "scgi": ("SCGI",),
                "memcached": ("memcached",),
            },
        ),
    ] = "http"
    behaviour: Annotated[
        Annotated[Sink | Slow | Echo, Field(discriminator="kind")] | None,
        field("a ready-made behaviour; otherwise the fragment in server says what it does"),
    ] = None
    server: Annotated[
        TemplatedText, field("configuration inside its server block", label=("server",), code="nginx")
    ] = ""
    tls: Annotated[
        bool,
        field(
            "serve by TLS, with a certificate made for the trial (self-signed: proxy_ssl_verify "
            "must be off); the nginx under test then asks it by proxy_pass https://UPSTREAM",
            label=("TLS",),
            note="Uses a self-signed certificate generated for the trial; nginx asks it by proxy_pass https://…",
        ),
    ] = False

    @property
    def is_nginx(self) -> bool:
        """Whether an nginx plays it; otherwise a program of ngxlab's own does."""
        return self.protocol in {"http", "grpc"} and not isinstance(self.behaviour, Echo)
