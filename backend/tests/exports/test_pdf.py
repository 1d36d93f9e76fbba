"""PDFs, printed by the real Chromium in the real sandbox."""

import asyncio
import re
import threading
from collections.abc import AsyncIterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import psutil
import pytest
from ngxlab.accounts.models import Language
from ngxlab.core.errors import NotFound, Unavailable
from ngxlab.exports import pdf
from structlog.testing import capture_logs

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
    made = await pdf.printed(_page(f"<p>1<script>{script}</script>"), None, pdf.Sheets(language))
    assert made.count(b"/Type /Page\n") == pages


@pytest.mark.parametrize(("paper", "size"), [(pdf.Paper.a4, (595, 842)), (pdf.Paper.letter, (612, 792))])
async def test_sheets_have_the_size_of_their_reader_s_paper(paper: pdf.Paper, size: tuple[int, int]) -> None:
    made = await pdf.printed(_page("<p>Faster."), None, pdf.Sheets(paper=paper))
    (box,) = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", made)
    assert tuple(round(float(length)) for length in box) == size


async def test_a_page_is_printed_when_it_has_loaded_and_no_earlier() -> None:
    """As a report does, which says so when its charts are drawn."""
    script = """
      const frame = document.body.appendChild(document.createElement('iframe'));
      frame.contentDocument.open();
      let frames = 0;
      requestAnimationFrame(function draw() {
        if (++frames < 100) return requestAnimationFrame(draw);
        document.body.insertAdjacentHTML('beforeend', '<p style="break-before: page">2');
        frame.contentDocument.close();
      });"""
    made = await pdf.printed(_page(f"<p>1<script>{script}</script>"), None)
    assert made.count(b"/Type /Page\n") == 2


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
    assert not psutil.wait_procs(_printing(), timeout=30)[1]


# Each goes on until it is ended: a page that has loaded is printed.
_MUCH = {
    "memory": "const kept = []; for (;;) try { kept.push(new Uint8Array(16 << 20).fill(1)) } catch {}",
    "threads": (
        "const code = URL.createObjectURL(new Blob(['onmessage = null'])), kept = [];"
        "const more = setInterval(() => kept.push(new Worker(code)) < 200 || clearInterval(more), 20);"
        "document.body.append(document.createElement('iframe')); frames[0].document.open()"
    ),
    "CPU": "for (;;);",
}
_LIMITS = {"memory": ("MOST_MEMORY", 900 << 20), "threads": ("MOST_THREADS", 220), "CPU": ("MOST_CPU_S", 3.0)}


@pytest.mark.parametrize("what", _MUCH)
async def test_a_page_that_takes_too_much_is_ended_with_all_its_processes(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf, *_LIMITS[what])
    with capture_logs() as logs, pytest.raises(Unavailable, match="Print it with your browser"):
        await pdf.printed(_page(f"<script>{_MUCH[what]}</script>"), None)
    (said,) = [entry["said"] for entry in logs if entry["log_level"] == "error"]
    assert said.startswith("it "), "Chromium gave up by itself"
    assert what in said
    assert not psutil.wait_procs(_printing(), timeout=30)[1]


async def test_what_draws_a_page_makes_few_system_calls() -> None:
    """Chromium's own sandbox, within the other. What makes it has no right and sees none of the machine."""
    printing = asyncio.create_task(pdf.printed(_page("<script>for (;;);</script>"), None))
    try:
        async with asyncio.timeout(60):
            while not (drawing := _printing("--type=renderer")):
                await asyncio.sleep(0.1)
            while "Seccomp:\t2" not in (status := Path(f"/proc/{drawing[0].pid}/status").read_text()):
                await asyncio.sleep(0.1)
        assert "NoNewPrivs:\t1" in status
        (main,) = [one for one in _printing() if Path(f"/proc/{one.pid}/exe").resolve().name == "chromium"]
        status = Path(f"/proc/{main.pid}/status").read_text()
        assert "NoNewPrivs:\t1" in status
        assert "CapEff:\t0000000000000000" in status
        for namespace in ("user", "mnt", "pid", "net", "ipc", "uts"):
            assert Path(f"/proc/{main.pid}/ns/{namespace}").readlink() != Path(f"/proc/self/ns/{namespace}").readlink()
    finally:
        printing.cancel()
        await asyncio.wait([printing])


async def test_where_no_sandbox_can_be_in_another_one_bubblewrap_s_remains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf, "_NESTED", ("false",))
    with capture_logs() as logs:
        assert (await pdf.printed(_page("<p>Faster."), None)).startswith(b"%PDF-")
    assert [entry for entry in logs if "without Chromium's own sandbox" in entry["event"]]


def _printing(word: str = "--print-to-pdf") -> list[psutil.Process]:
    """Chromium's processes that have this word in their command."""
    running = psutil.process_iter(["cmdline"])
    return [one for one in running if any(said.startswith(word) for said in one.info["cmdline"] or [])]


async def test_without_the_programs_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotFound, match="chromium or bwrap"):
        await pdf.printed(_page(""), tmp_path / "none")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotFound, match="chromium or bwrap"):
        await pdf.printed(_page(""), None)
