"""What a browser and a cache are told with each answer."""

import asyncio
import re
from pathlib import Path
from unittest.mock import MagicMock

import httpx
import pytest
import services
import uvicorn
from harness import Backend
from ngxlab.core.answers import FRAMED_POLICY, PAGE_POLICY
from ngxlab.core.bus import Bus
from ngxlab.core.config import Settings
from ngxlab.core.connections.http_protocol import BoundedHttpProtocol
from ngxlab.core.database import Database
from ngxlab.core.frontend import PAGES
from ngxlab.main import create_app

ROOT = Path(__file__).parents[3]
_SETTINGS = Settings(
    DATABASE_URL="postgresql://nobody@127.0.0.1:1/none",
    REDIS_URL="redis://127.0.0.1:1",
    coordinator_token="c" * 32,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "app-1a2b.js").write_text("1")
    (tmp_path / "index.html").write_text("<!doctype html>")
    (tmp_path / "favicon.svg").write_text("<svg/>")
    return tmp_path


def _ask(folder: Path, path: str, accept: str = "*/*") -> httpx.Response:
    """From an application whose database is away: pages need none."""
    app = create_app(_SETTINGS.model_copy(update={"frontend_dir": folder}))
    app.state.database = Database(_SETTINGS.database_url.get_secret_value(), MagicMock(Bus))

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://lab") as client:
            return await client.get(path, headers={"Accept": accept})

    return asyncio.run(ask())


def _is_private(answer: httpx.Response) -> None:
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert len(answer.headers["x-request-id"]) == 32


@pytest.mark.parametrize(
    "path", ["/", "/login", "/runs", "/runs/1", "/runs/1/report", "/shared/abc", "/favicon.svg", "/index.html"]
)
def test_every_page_has_the_policy(folder: Path, path: str) -> None:
    answer = _ask(folder, path)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "same-origin"
    policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "script-src" not in policy  # no exception for scripts
    assert "root:" not in answer.text


def test_a_shared_chart_and_no_other_page_may_be_framed(folder: Path) -> None:
    answer = _ask(folder, "/shared/abc/charts/latency?line=a&scheme=dark")
    assert answer.status_code == 200
    assert answer.headers["content-security-policy"] == FRAMED_POLICY
    assert "frame-ancestors *;" in FRAMED_POLICY
    assert "x-frame-options" not in answer.headers
    framed = {path for path in PAGES if "frame-ancestors 'none'" not in _policy(folder, path.replace(":", ""))}
    assert framed == {"/shared/:token/charts/:chart"}
    for path in ("/shared/abc/charts", "/shared/abc/charts/a/b", "/shared//charts/a", "/x/shared/abc/charts/a"):
        assert "frame-ancestors 'none'" in _policy(folder, path)
        assert _ask(folder, path).headers["x-frame-options"] == "DENY"


def _policy(folder: Path, path: str) -> str:
    return _ask(folder, path).headers["content-security-policy"]


@pytest.mark.parametrize(
    "path",
    [
        "/metrics",
        "/metrics-x",
        "/docs",
        "/openapi.json",
        "/runs/1/nothing",
        "/shared/",
        "/experimentsx",
        "/..%2f..%2fetc/passwd",
        "/" + "a" * 9000,
    ],
)
def test_what_is_no_page_is_a_problem_document(folder: Path, path: str) -> None:
    answer = _ask(folder, path)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == "not-found"
    _is_private(answer)


def test_a_browser_gets_a_page_that_leads_on_from_what_is_no_page(folder: Path) -> None:
    browsers = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    answer = _ask(folder, "/runs/1/nothing", browsers)
    assert (answer.status_code, answer.text) == (404, "<!doctype html>")
    assert answer.headers["content-security-policy"] == PAGE_POLICY
    for path in ("/api/v1/nothing", "/assets/nothing.js"):
        assert _ask(folder, path, browsers).headers["content-type"] == "application/problem+json"


def test_every_page_of_the_frontend_is_known() -> None:
    routes = (ROOT / "frontend/src/app/pages.ts").read_text()
    declared = {"/" + path.removeprefix("/") for path in re.findall(r"path: '([^'*]+)'", routes)}
    assert set(PAGES) - {"/"} | {"/experiments/new/blank"} == declared
    nginx = (ROOT / "docker/nginx.conf").read_text()
    in_nginx = re.findall(r"^        ~\^(\S*?)/\?\$ /index\.html;$", nginx, re.MULTILINE)
    assert in_nginx == [re.sub(r":\w+", "[^/]+", page.rstrip("/")) for page in PAGES]


def test_what_has_a_hash_in_its_name_is_kept(folder: Path) -> None:
    answer = _ask(folder, "/assets/app-1a2b.js")
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path", ["/%00", "/a%00b", "/assets/%00", "/assets/a%00.js", "/?a=%00", "/assets/nothing.js", "/api/v1/nothing"]
)
def test_an_address_of_nothing_is_a_problem_that_nobody_keeps(folder: Path, path: str) -> None:
    answer = _ask(folder, path)
    assert answer.status_code in {404, 422}
    assert answer.headers["content-type"] == "application/problem+json"
    _is_private(answer)


def test_an_unexpected_error_is_private_too(folder: Path) -> None:
    answer = _ask(folder, "/readyz")  # without the application's lifetime there is nothing to look at
    assert answer.status_code == 500
    _is_private(answer)


def test_one_connection_too_many_is_a_problem() -> None:
    async def ask() -> httpx.Response:
        config = uvicorn.Config(
            create_app(_SETTINGS), port=services.free_port(), http=BoundedHttpProtocol, ws="none", lifespan="off",
            log_config=None, limit_concurrency=1,
        )  # fmt: skip
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve())
        try:
            async with httpx.AsyncClient(transport=httpx.AsyncHTTPTransport(retries=20)) as client:
                return await client.get(f"http://127.0.0.1:{config.port}/healthz")
        finally:
            server.should_exit = True
            await serving

    answer = asyncio.run(ask())
    assert (answer.status_code, answer.headers["content-type"]) == (503, "application/problem+json")
    assert answer.json()["code"] == "unavailable"
    assert answer.headers["retry-after"]
    _is_private(answer)


@pytest.mark.parametrize("path", ["/auth/me", "/experiments", "/schemas/experiment.json", "/shared/nothing", "/none"])
def test_answers_of_the_api_are_private(backend: Backend, path: str) -> None:
    _is_private(backend.client().get(path))
    _is_private(backend.person().client.get(path))


def test_a_body_that_is_too_long_is_a_problem(backend: Backend) -> None:
    person = backend.person()
    for answer in (
        backend.client().post("/auth/login", content=b"x" * (1 << 20), headers={"Content-Type": "application/json"}),
        person.client.post("/experiments", content=b"x" * (3 << 20), headers={"Content-Type": "application/json"}),
    ):
        assert (answer.status_code, answer.headers["content-type"]) == (413, "application/problem+json")
        assert answer.json()["code"]
        _is_private(answer)


def test_the_server_of_the_containers_sends_the_same_policy() -> None:
    text = (Path(__file__).parents[3] / "docker" / "nginx.conf").read_text()
    for policy in (PAGE_POLICY, FRAMED_POLICY):
        assert text.count(f'add_header Content-Security-Policy "{policy}"') == 1
