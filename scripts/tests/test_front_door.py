"""The frontend's nginx of the containers: what it serves as a page, what it passes on, and what it refuses."""

import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
import pytest
import services

from scripts.tests.door import add_tls, nginx


class _Backend(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = f"{self.path} {self.headers['X-Forwarded-For']}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 (the base class's name)
        pass


@pytest.fixture(scope="module")
def door() -> Iterator[httpx.Client]:
    """docker/nginx.conf with this machine's ports and folders."""
    with (
        TemporaryDirectory(prefix="ngxlab-door-", dir="/tmp") as name,
        HTTPServer(("127.0.0.1", 0), _Backend) as backend,
    ):
        folder = Path(name)
        folder.chmod(0o755)  # nginx's workers are unprivileged
        (folder / "index.html").write_text("the page")
        (folder / "favicon.svg").write_text("<svg/>")
        threading.Thread(target=backend.serve_forever, daemon=True).start()
        try:
            with nginx(folder, backend.server_address[1]) as port, httpx.Client() as client:
                client.base_url = httpx.URL(f"http://127.0.0.1:{port}")
                yield client
        finally:
            backend.shutdown()


@pytest.mark.parametrize("path", ["/", "/login", "/experiments/new/reuseport", "/runs/1/report", "/hosts/"])
def test_pages_are_the_page(door: httpx.Client, path: str) -> None:
    answer = door.get(path)
    assert (answer.status_code, answer.text) == (200, "the page")
    assert "default-src 'self'" in answer.headers["content-security-policy"]


def test_a_shared_chart_alone_may_be_framed(door: httpx.Client) -> None:
    framed = door.get("/shared/abc/charts/latency?line=a")
    assert (framed.status_code, framed.text) == (200, "the page")
    assert "frame-ancestors *" in framed.headers["content-security-policy"]
    assert "x-frame-options" not in framed.headers
    for path in ("/shared/abc", "/shared/abc/charts", "/shared/abc/charts/a/b"):
        assert "frame-ancestors 'none'" in door.get(path).headers["content-security-policy"]


@pytest.mark.parametrize("path", ["/metrics-x", "/docs", "/openapi.json", "/runs/1/nothing", "/no-such-page"])
def test_what_is_no_page_is_a_problem_document(door: httpx.Client, path: str) -> None:
    answer = door.get(path)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.json()["code"] == "not-found"


def test_a_browser_gets_a_page_that_leads_on_from_what_is_no_page(door: httpx.Client) -> None:
    answer = door.get("/runs/1/nothing", headers={"Accept": "text/html,*/*;q=0.8"})
    assert (answer.status_code, answer.text) == (404, "the page")
    assert answer.headers["content-type"] == "text/html"
    assert "default-src 'self'" in answer.headers["content-security-policy"]


def test_what_is_the_backends_is_passed_on_with_the_caller(door: httpx.Client) -> None:
    for path in ("/api/v1/runs", "/metrics"):
        assert door.get(path).text == f"{path} 127.0.0.1"
    assert door.get("/readyz").status_code == 200
    assert door.get("/favicon.svg").text == "<svg/>"


def test_with_a_certificate_the_same_is_served_over_tls() -> None:
    with TemporaryDirectory(prefix="ngxlab-door-", dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "index.html").write_text("the page")
        port, authority = add_tls(folder)
        trusting = ssl.create_default_context(cafile=str(authority))
        with nginx(folder, services.free_port()), httpx.Client(verify=trusting) as client:
            assert client.get(f"https://127.0.0.1:{port}/login").text == "the page"
            assert client.get(f"https://127.0.0.1:{port}/docs").status_code == 404
            with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
                httpx.get(f"https://127.0.0.1:{port}/login")
