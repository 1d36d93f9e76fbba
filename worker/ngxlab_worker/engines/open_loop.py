"""A stream in open loop, driven by a program of ours with one process for each core."""

import resource
import struct
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from ngxlab_contracts.engines import CAPABILITY_FOR, CAPABILITY_FOR_HYBRID, HYBRID_GROUP, HttpVersion
from ngxlab_contracts.hosts import Capability
from ngxlab_contracts.streams import (
    SWITCHED,
    ClientSpec,
    OpenLoopSpec,
    ReplaySpec,
    StreamSpec,
    TlsClientSpec,
    WebSocketSpec,
)
from ngxlab_contracts.telemetry import Quantity

from ngxlab_worker.engines.base import (
    EngineInventory,
    GeneratorContext,
    GeneratorError,
    NoteSink,
    Target,
    stream_invalid,
)
from ngxlab_worker.engines.native import NativeEngine, NativeGenerator, ProgramShape
from ngxlab_worker.engines.native.mix import mix_options
from ngxlab_worker.engines.native.program import FILLING, request_bytes, request_options, target_options

PROGRAM = "ngxlab-openloop"
OWN_DESCRIPTORS = 64
_GROUPS = {"x25519": "X25519", "p-256": "P-256", "p-384": "P-384", "x25519mlkem768": "X25519MLKEM768"}
_CIPHERS = {
    "aes128-gcm": ("AES128-GCM-SHA256", "TLS_AES_128_GCM_SHA256"),
    "aes256-gcm": ("AES256-GCM-SHA384", "TLS_AES_256_GCM_SHA384"),
    "chacha20-poly1305": ("CHACHA20-POLY1305", "TLS_CHACHA20_POLY1305_SHA256"),
}
"""In OpenSSL's names: up to TLS 1.2, for a certificate of either kind, and as a suite of TLS 1.3."""
_QUIC_GROUPS = {"x25519": "GROUP-X25519", "p-256": "GROUP-SECP256R1", "p-384": "GROUP-SECP384R1"}
_QUIC_CIPHERS = {
    "aes128-gcm": "AES-128-GCM",
    "aes256-gcm": "AES-256-GCM",
    "chacha20-poly1305": "CHACHA20-POLY1305",
}
"""In GnuTLS's names, whose TLS the program speaks in QUIC."""

_SPEAKING: Mapping[HttpVersion, tuple[str, str]] = {
    "http/2": ("http2", "libnghttp2, priorities off, windows of 1 GiB"),
    "http/3": ("http3", "libngtcp2 with GnuTLS, libnghttp3, windows of 1 GiB, datagrams not paced"),
}
"""What the program calls it, and how it speaks it."""

READY_TIMEOUT_S = 10.0
SLOWEST_CONNECTS_PER_S = 1000.0
MOST_OPENING = 256
"""Connections that a process opens at the same time (``worker/native/openloop_shard.c``)."""


class OpenLoopEngine(NativeEngine):
    program = PROGRAM
    runs_check = True

    def inventory(self) -> EngineInventory:
        """With the capabilities to speak HTTP/2 and HTTP/3, for which the host needs libraries more, and to agree on
        keys by a hybrid group, for which it needs a newer OpenSSL."""
        own = super().inventory().capabilities
        hybrid = self.answer(f"--check-groups={_GROUPS[HYBRID_GROUP]}")
        tls = Capability(
            name=CAPABILITY_FOR_HYBRID,
            available=hybrid == "ok",
            detail=_GROUPS[HYBRID_GROUP] if hybrid == "ok" else hybrid,
        )
        return EngineInventory((*own, *(self._speaks(version) for version in _SPEAKING), tls))

    def _speaks(self, version: HttpVersion) -> Capability:
        option, detail = _SPEAKING[version]
        answer = self.answer(f"--check-{option}")
        able = answer == "ok"
        return Capability(name=CAPABILITY_FOR[version], available=able, detail=detail if able else answer)

    def prepare(self, spec: StreamSpec, context: GeneratorContext, note: NoteSink) -> NativeGenerator:
        """Start the processes and, with keep-alive, open all connections; send nothing. Raises ``GeneratorError``."""
        _require_descriptors(spec)
        if spec.open_loop is None:
            raise stream_invalid(spec, "open_loop is missing: it sets the rates")
        words = connection_options(spec, context.target, context.work_folder() / "request")
        shape = ProgramShape(spec.threads, quantities(spec), ready_timeout_s(spec), intended=True)
        words += schedule_options(spec.open_loop)
        if spec.open_loop.replay is not None:
            words += replay_options(spec.open_loop.replay, context.work_folder() / "replay")
        generator = NativeGenerator.start(PROGRAM, words, spec, context, shape)
        if spec.keep_alive and (opened := generator.page.counters()["connections"]) < spec.connections:
            message = f"stream {spec.key}: {opened} of {spec.connections} connections opened"
            if spec.websocket is not None and (status := generator.page.last_errno()):
                message += f"; a handshake was answered by {status} instead of {SWITCHED}"
            note("warning", "connections-short", message)
        return generator


def ready_timeout_s(spec: StreamSpec) -> float:
    """How long the processes may take to open what is kept open: in turns, each of up to four round trips (one for TCP,
    two for TLS 1.2, and one for the settings of HTTP/2 or the upgrade of a WebSocket); of QUIC there are fewer."""
    if not spec.keep_alive:
        return READY_TIMEOUT_S
    turns = -(-spec.connections // (MOST_OPENING * spec.threads))
    round_trips = 1 + (2 if spec.tls else 0) + (spec.protocol == "http/2" or spec.websocket is not None)
    round_trip_s = spec.client.round_trip_ms / 1000 if spec.client is not None else 0
    return READY_TIMEOUT_S + spec.connections / SLOWEST_CONNECTS_PER_S + turns * round_trips * round_trip_s


def quantities(spec: StreamSpec) -> tuple[Quantity, ...]:
    """What the program's histograms are of, in the page's order."""
    own: tuple[Quantity, ...] = ("latency", "rejected", "service", "schedule", "first_byte", "connect")
    return (*own, "handshake") if spec.tls else own


def _require_descriptors(spec: StreamSpec) -> None:
    _, files = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = -(-spec.connections // spec.threads) + OWN_DESCRIPTORS
    if wanted > files:
        raise GeneratorError(
            "fd-limit",
            f"stream {spec.key}: each of {spec.threads} processes needs {wanted} file descriptors and may have {files}:"
            " raise threads, or LimitNOFILE of the agent's service",
        )


def connection_options(spec: StreamSpec, target: Target, request: Path) -> list[str]:
    """The target, the requests, which go into a file, and the connections. Raises ``GeneratorError``."""
    if spec.connections < spec.threads:
        raise stream_invalid(spec, f"{spec.connections} connections are fewer than {spec.threads} processes")
    if spec.body is not None and spec.body_bytes is not None:
        raise stream_invalid(spec, "set either body or body_bytes, not both")
    if spec.script is not None or spec.paths is not None:
        raise stream_invalid(spec, "engine open-loop supports neither script nor paths")
    words = target_options(spec, target)
    if spec.websocket is not None:
        words += websocket_options(spec, spec.websocket, target, request)
    else:
        words += mix_options(spec, target, request) if spec.requests else request_options(spec, target, request)
    if spec.protocol in _SPEAKING:
        words += _many_at_once(spec)
    if spec.client is not None:
        words += _client_options(spec, spec.client)
    if not spec.keep_alive:
        words.append("--close")
    if not spec.tls:
        return words
    brought = spec.tls_client or TlsClientSpec()
    return [*words, "--tls", *(_quic_options(spec, brought) if spec.protocol == "http/3" else _tls_options(brought))]


def _many_at_once(spec: StreamSpec) -> list[str]:
    version = spec.protocol.upper()
    if not spec.keep_alive:
        raise stream_invalid(spec, f"a connection of {version} is kept for many requests: leave keep_alive on")
    if spec.protocol == "http/3" and not spec.tls:
        raise stream_invalid(spec, "HTTP/3 is spoken over TLS only")
    if spec.protocol == "http/3" and spec.client is not None:
        raise stream_invalid(spec, "clients of HTTP/3 are as fast as they can be, and near: leave client out")
    return [f"--{_SPEAKING[spec.protocol][0]}", str(spec.requests_at_once)]


_BINARY, _MASKED, _MASK = 0x82, 0x80, b"\x5a\xa5\x3c\xc3"
"""Of a message, whole in one frame (RFC 6455, 5.2). What the mask is means nothing to those that it passes."""


def websocket_options(spec: StreamSpec, websocket: WebSocketSpec, target: Target, file: Path) -> list[str]:
    """The message and the handshake, which go into files. Raises ``GeneratorError``."""
    if spec.protocol != "http/1.1" or not spec.keep_alive or spec.requests:
        raise stream_invalid(spec, "a WebSocket is held over HTTP/1.1, and has no mix of requests")
    handshake = file.with_name("handshake")
    for name, content in ((file, message(websocket.message_bytes)), (handshake, request_bytes(spec, target))):
        name.write_bytes(content)
        name.chmod(0o644)  # whatever the umask: another user reads it
    return ["--request", str(file), "--websocket", str(handshake)]


def message(size: int) -> bytes:
    """A frame of so many bytes, masked as a client's must be."""
    if size < 126:
        head = struct.pack(">BB", _BINARY, _MASKED | size)
    elif size < 1 << 16:
        head = struct.pack(">BBH", _BINARY, _MASKED | 126, size)
    else:
        head = struct.pack(">BBQ", _BINARY, _MASKED | 127, size)
    masked = bytes(FILLING[0] ^ one for one in _MASK)
    return head + _MASK + (masked * (size // len(masked) + 1))[:size]


def _client_options(spec: StreamSpec, client: ClientSpec) -> list[str]:
    if spec.protocol != "http/1.1" and not client.is_patient:
        raise stream_invalid(spec, "slow clients, and those that go away, speak HTTP/1.1")
    words = ["--round-trip", repr(client.round_trip_ms / 1000)] if client.round_trip_ms else []
    if client.read_bytes_per_s is not None:
        words += ["--read-rate", repr(client.read_bytes_per_s)]
    if client.send_bytes_per_s is not None:
        words += ["--send-rate", repr(client.send_bytes_per_s)]
    if client.abort_percent:
        words += ["--leaving", repr(client.abort_percent / 100), "--patience", repr(client.abort_after_s)]
    return words


def _quic_options(spec: StreamSpec, client: TlsClientSpec) -> list[str]:
    given = client.model_copy(update={"server_name": None, "group": "any", "cipher": "any", "sessions": "tickets"})
    if given.model_copy(update={"version": "any"}) != TlsClientSpec() or client.version == "1.2":
        raise stream_invalid(spec, "with HTTP/3, tls_client has server_name, group and cipher only")
    if client.group == HYBRID_GROUP:
        raise stream_invalid(spec, f"with HTTP/3, the group is not {HYBRID_GROUP}")
    words = [] if client.group == "any" else ["--tls-groups", f"+{_QUIC_GROUPS[client.group]}"]
    words += [] if client.cipher == "any" else ["--tls-suites", f"+{_QUIC_CIPHERS[client.cipher]}"]
    return [*words, "--tls-name", client.server_name] if client.server_name is not None else words


def _tls_options(client: TlsClientSpec) -> list[str]:
    words = ["--tls-resumed", repr(client.resumed_percent / 100)] if client.resumed_percent else []
    if client.early_data_percent:
        words += ["--tls-early", repr(client.early_data_percent / 100)]
    if client.sessions == "ids":
        words.append("--tls-by-id")
    if client.version != "any":
        words += ["--tls-version", client.version]
    if client.group != "any":
        words += ["--tls-groups", _GROUPS[client.group]]
    if client.cipher != "any":
        cipher, suite = _CIPHERS[client.cipher]
        words += ["--tls-ciphers", f"ECDHE-ECDSA-{cipher}:ECDHE-RSA-{cipher}", "--tls-suites", suite]
    return [*words, "--tls-name", client.server_name] if client.server_name is not None else words


def schedule_options(plan: OpenLoopSpec) -> list[str]:
    words = []
    if plan.capacity is not None:
        words += ["--steered", repr(plan.capacity.from_per_s)]
    elif plan.curve is not None:
        words += ["--closed-loop"] if plan.curve.connections else []
        words += ["--steered", repr(float(min(plan.curve.points)))]
    for step in plan.steps:
        to_per_s = step.per_s if step.to_per_s is None else step.to_per_s
        words += ["--step", f"{step.per_s!r}:{to_per_s!r}:{step.duration_s!r}"]
    if plan.arrivals == "poisson":
        words += ["--poisson", "--seed", str(plan.seed)]
    return words


def replay_options(replay: ReplaySpec, file: Path) -> list[str]:
    """The instants, which go into ``file`` as whole nanoseconds (``worker/native/schedule.h``)."""
    instants_ns = np.rint(1e9 * np.array(replay.instants_s))
    file.write_bytes(instants_ns.astype("=u8").tobytes())
    file.chmod(0o644)  # whatever the umask: another user reads it
    return ["--replay", str(file)]
