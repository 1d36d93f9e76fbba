"""A provider that answers as a test wants it to: rightly, or with one thing wrong."""

import json
import threading
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

Claims = dict[str, Any]
CLIENT_ID = "ngxlab"
CLIENT_SECRET = "shared-with-the-hostile-provider"


def _encoded(part: Claims) -> str:
    return urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")


@dataclass
class HostileProvider:
    """Everything that a test may change. ``claims`` edits those of the ID token, ``answers`` replaces an endpoint's.

    ``sign`` makes the token of a header and claims; ``redirect`` edits what the browser is sent back with.
    """

    issuer: str
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "one", "use": "sig"}))
    person: Claims = field(default_factory=dict)
    claims: Callable[[Claims], Claims] = dict
    sign: Callable[["HostileProvider", Claims], str] = lambda provider, claims: provider.signed(claims)
    redirect: Callable[[dict[str, str]], dict[str, str]] = dict
    metadata: Claims = field(default_factory=dict)
    answers: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    userinfo: Claims | None = None
    nonce: str = ""
    challenges: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def signed(self, claims: Claims, **header: Any) -> str:
        head = {"alg": "RS256", "kid": self.key.kid} | header
        return jwt.encode(head, claims, self.key, algorithms=[head["alg"]])

    def unsigned(self, claims: Claims) -> str:
        return f"{_encoded({'alg': 'none'})}.{_encoded(claims)}."

    def by_shared_secret(self, claims: Claims, secret: bytes) -> str:
        return jwt.encode({"alg": "HS256"}, claims, OctKey.import_key(secret), algorithms=["HS256"])

    def answer(self, path: str, query: dict[str, str]) -> tuple[int, bytes, dict[str, str]]:
        self.asked.append(path)
        if path in self.answers:
            return (*self.answers[path], {})
        if path == "/authorize":
            self.nonce = query["nonce"]
            self.challenges.append(query["code_challenge_method"])
            back = self.redirect({"code": "a-code", "state": query["state"]})
            return 303, b"", {"Location": f"{query['redirect_uri']}?{urlencode(back)}"}
        endpoints: dict[str, Callable[[], Claims]] = {
            "/.well-known/openid-configuration": self._discovery,
            "/jwks": self._jwks,
            "/token": self._token,
            "/userinfo": lambda: self.userinfo or {},
        }
        return 200, json.dumps(endpoints[path]()).encode(), {"Content-Type": "application/json"}

    def _jwks(self) -> Claims:
        public = self.key.as_dict(private=False)
        return {"keys": [dict(public)]}

    def _discovery(self) -> Claims:
        ends = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "jwks"}
        found = {name: f"{self.issuer}/{path}" for name, path in ends.items()}
        found["userinfo_endpoint"] = f"{self.issuer}/userinfo"
        algorithms = ["RS256", "HS256", "none"]  # it would allow anything
        return {"issuer": self.issuer, "id_token_signing_alg_values_supported": algorithms} | found | self.metadata

    def _token(self) -> Claims:
        now = int(time.time())
        right = {"iss": self.issuer, "aud": CLIENT_ID, "iat": now, "exp": now + 300, "nonce": self.nonce}
        token = self.sign(self, self.claims(right | self.person))
        return {"access_token": "an-access-token", "token_type": "Bearer", "id_token": token}


class _Handler(BaseHTTPRequestHandler):
    provider: HostileProvider

    def _serve(self) -> None:
        parts = urlsplit(self.path)
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        status, body, headers = self.provider.answer(parts.path, query)
        self.send_response(status)
        for name, value in (headers | {"Content-Length": str(len(body))}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = _serve  # noqa: N815 (the names of the standard library)

    def log_message(self, *_: Any) -> None:
        """Quiet."""


@contextmanager
def hostile_provider() -> Iterator[HostileProvider]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    provider = HostileProvider(f"http://127.0.0.1:{server.server_port}")
    server.RequestHandlerClass = type("Handler", (_Handler,), {"provider": provider})
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
