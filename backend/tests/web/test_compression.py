"""What is sent is compressed where that pays and harms nobody."""

import gzip
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from harness import Backend
from ngxlab.core.connections.compression import accepted_codings
from ngxlab.core.frontend import serve_frontend

_SCRIPT = b"const answer = 42;\n" * 200


@pytest.fixture
def built(tmp_path: Path) -> FastAPI:
    """Of a frontend whose script has both forms, and whose style has none."""
    (tmp_path / "index.html").write_text("<!doctype html>")
    assets = tmp_path / "assets"
    assets.mkdir()
    (assets / "a.js").write_bytes(_SCRIPT)
    (assets / "a.js.gz").write_bytes(gzip.compress(_SCRIPT))
    (assets / "a.js.br").write_bytes(b"in brotli")
    (assets / "a.css").write_text("a { b: c }")
    app = FastAPI()
    serve_frontend(app, tmp_path)
    return app


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [("gzip, deflate, br", "br"), ("gzip", "gzip"), ("br;q=0, gzip;q=0.5", "gzip"), ("identity", None), ("", None)],
)
async def test_a_browser_gets_the_smallest_form_that_it_understands(
    built: FastAPI, accepted: str, coding: str | None
) -> None:
    transport = httpx.ASGITransport(app=built)
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        async with client.stream("GET", "/assets/a.js", headers={"Accept-Encoding": accepted}) as answer:
            sent = b"".join([piece async for piece in answer.aiter_raw()])
        plain = await client.get("/assets/a.css", headers={"Accept-Encoding": "br, gzip"})
    forms = {"br": b"in brotli", "gzip": None, None: _SCRIPT}
    assert answer.headers.get("content-encoding") == coding
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["vary"] == "Accept-Encoding"
    assert (gzip.decompress(sent) if coding == "gzip" else sent) == (forms[coding] or _SCRIPT)
    assert (plain.text, plain.headers.get("content-encoding")) == ("a { b: c }", None)


def test_answers_are_packed_unless_they_hold_secrets_or_are_small(backend: Backend) -> None:
    client = backend.person().client
    coding = {path: client.get(path).headers.get("content-encoding") for path in ("/templates", "/auth/me")}
    assert coding == {"/templates": "gzip", "/auth/me": None}
    assert client.get("/templates", headers={"Accept-Encoding": "identity"}).headers.get("content-encoding") is None


def test_a_coding_with_no_weight_is_refused() -> None:
    assert accepted_codings("gzip;q=0, BR ;q=1.0, *;q=0.000") == {"br"}
