"""PDFs, printed by the real Chromium in the real sandbox."""

import threading
from collections.abc import AsyncIterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import psutil
import pytest
from ngxlab.accounts.models import Language
from ngxlab.core.errors import NotFound, Unavailable
from ngxlab.exports import pdf

pytestmark = pytest.mark.timeout(300)


async def _page(text: str) -> AsyncIterator[bytes]:
    yield f"<!doctype html><meta charset=utf-8><title>A report</title><body>{text}".encode()


async def test_a_page_is_printed() -> None:
    made = await pdf.printed(_page("<p>Faster.</p><p style='break-before: page'>By 5 %."), None)
    assert made.startswith(b"%PDF-")
    assert made.count(b"/Type /Page\n") == 2


@pytest.mark.parametrize(("language", "pages"), [(Language.english, 1), (Language.simplified_chinese, 2)])
async def test_a_page_is_told_the_language_of_its_reader(language: Language, pages: int) -> None:
    script = "if (navigator.languages.join() === 'zh-Hans') document.write('<p style=\"break-before: page\">2')"
    made = await pdf.printed(_page(f"<p>1<script>{script}</script>"), None, language)
    assert made.count(b"/Type /Page\n") == pages


async def test_what_stands_in_a_page_reaches_no_network_and_no_file() -> None:
    asked = []

    class Told(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

    with HTTPServer(("127.0.0.1", 0), Told) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        made = await pdf.printed(_page(f"<img src='{address}/told'><iframe src='file:///etc/passwd'></iframe>"), None)
        server.shutdown()
    assert made.startswith(b"%PDF-")
    assert asked == []


async def test_a_page_that_never_ends_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "WITHIN_S", 3.0)
    with pytest.raises(Unavailable, match="Print it with your browser"):
        await pdf.printed(_page("<script>for (;;);</script>"), None)
    left = [one for one in psutil.process_iter(["cmdline"]) if "--print-to-pdf" in " ".join(one.info["cmdline"] or [])]
    assert not psutil.wait_procs(left, timeout=30)[1]


async def test_without_the_programs_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotFound, match="chromium or bwrap"):
        await pdf.printed(_page(""), tmp_path / "none")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotFound, match="chromium or bwrap"):
        await pdf.printed(_page(""), None)
