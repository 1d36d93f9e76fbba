"""The clients of a stream: what they bring to TLS, and how slow, distant and patient they are."""

from typing import Annotated, get_args

from ngxlab_contracts.fields import field
from ngxlab_contracts.streams import HOST_NAME, TlsCipher, TlsGroup, TlsSessions, TlsVersion
from pydantic import Field

from ngxlab.definition.schema.base import DefinitionModel, Expression, OneOf, TemplatedNumber, Within


class TlsClient(DefinitionModel):
    """What the clients of a stream bring to TLS, where ``nginx.tls`` is on (open-loop). What is ``any`` is left to
    OpenSSL and nginx. Handshakes are made when connections are opened: close them (``keep_alive`` off) to have more."""

    resumed_percent: Annotated[
        TemplatedNumber,
        Within(0, 100, whole=False),
        field(
            "of the handshakes, in percent, that offer nginx the session of an earlier one, evenly spread; the others "
            "are full ones",
            label="Resumed",
            unit="%",
        ),
    ] = 0
    early_data_percent: Annotated[
        TemplatedNumber,
        Within(0, 100, whole=False),
        field(
            "of the handshakes that offer a session, in percent, that send their request, of up to 16 kB, with their "
            "first message (0-RTT): HTTP/1.1 over TLS 1.3, where nginx takes it (ssl_early_data)",
            label="Early data",
            unit="%",
        ),
    ] = 0
    sessions: Annotated[
        TlsSessions | Expression,
        OneOf(get_args(TlsSessions)),
        field(
            "how nginx knows a session again: by tickets, which clients keep, or by ids, which it keeps itself in an "
            "ssl_session_cache (TLS 1.2)",
            label="Sessions",
            choices={"tickets": "In tickets", "ids": "By ids (TLS 1.2)"},
        ),
    ] = "tickets"
    version: Annotated[
        TlsVersion | Expression,
        OneOf(get_args(TlsVersion)),
        field(
            "the version of TLS; nginx must offer it (ssl_protocols)",
            label=("Version", "TLS"),
            choices={"any": "The newest", "1.2": ("TLS 1.2",), "1.3": ("TLS 1.3",)},
        ),
    ] = "any"
    group: Annotated[
        TlsGroup | Expression,
        OneOf(get_args(TlsGroup)),
        field(
            "how keys are agreed on; nginx must offer it (ssl_ecdh_curve). x25519mlkem768, safe from quantum "
            "computers, needs OpenSSL 3.5 at both ends. With TLS 1.2 and a certificate with an elliptic key, p-256",
            label="Key exchange",
            choices={
                "any": ("Any", "TLS"),
                "x25519": ("X25519",),
                "p-256": ("P-256",),
                "p-384": ("P-384",),
                "x25519mlkem768": ("X25519MLKEM768",),
            },
        ),
    ] = "any"
    cipher: Annotated[
        TlsCipher | Expression,
        OneOf(get_args(TlsCipher)),
        field(
            "what the traffic is encrypted by; nginx must offer it (ssl_ciphers)",
            label="Cipher",
            choices={
                "any": ("Any", "TLS"),
                "aes128-gcm": ("AES-128-GCM",),
                "aes256-gcm": ("AES-256-GCM",),
                "chacha20-poly1305": ("ChaCha20-Poly1305",),
            },
        ),
    ] = "any"
    server_name: Annotated[
        Annotated[str, Field(pattern=HOST_NAME, max_length=253)] | None,
        field("the name that the handshake asks for (SNI)", label="Server name", code="line", placeholder="none"),
    ] = None


class StreamClient(DefinitionModel):
    """How the clients of a stream behave (open-loop): as on a slow or a long line, or without patience. What is left
    out is as fast as the network. All but the round trip is for HTTP/1.1."""

    read_bytes_per_s: Annotated[
        TemplatedNumber | None,
        Within(1, 1_000_000_000, whole=False),
        field(
            "how fast a client reads an answer; the receive buffer of its socket holds about a tenth of a second",
            label="Reads",
            unit="B/s",
            placeholder="at full speed",
        ),
    ] = None
    send_bytes_per_s: Annotated[
        TemplatedNumber | None,
        Within(1, 1_000_000_000, whole=False),
        field(
            "how fast a client sends a request, its head and its body",
            label="Sends",
            unit="B/s",
            placeholder="at full speed",
        ),
    ] = None
    abort_percent: Annotated[
        TemplatedNumber,
        Within(0, 100, whole=False),
        field(
            "of the requests, in percent, whose client goes away unless the whole answer comes in time; evenly spread",
            label="Go away",
            unit="%",
        ),
    ] = 0
    abort_after_s: Annotated[
        TemplatedNumber,
        Within(0, 600, whole=False),
        field("how long such a client waits, from the end of its request on", label="They wait", unit="s"),
    ] = 0
    round_trip_ms: Annotated[
        TemplatedNumber,
        Within(0, 10_000, whole=False),
        field("the round trip of the line between each client and nginx", label="Round trip", unit="ms"),
    ] = 0

    @property
    def is_patient(self) -> bool:
        """Whether they read and send as fast as they can, and stay: what HTTP/2 has, too."""
        return self.read_bytes_per_s is None and self.send_bytes_per_s is None and self.abort_percent == 0
