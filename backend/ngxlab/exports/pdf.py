"""A report as a PDF: its page in a file, printed by Chromium, which sees that file and no network.

Chromium prints a page once it has loaded. One that is opened at ``#print`` says that it has loaded only when all of its
charts are drawn (``frontend/src/app/offline/main.tsx``); one that never does is not printed.

What people wrote stands in the page, so the browser is not trusted: bubblewrap gives it the system's programs to read,
one folder to write to, and an end. Within that, its own sandbox keeps what draws the page to few system calls. All of
its processes together are watched, and ended where they take more than printing needs.
"""

import asyncio
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import psutil
import structlog
from anyio import CancelScope

from ngxlab.accounts.models import Language
from ngxlab.core.errors import NotFound, Unavailable

WITHIN_S = 90.0
MOST_MEMORY, MOST_THREADS, MOST_CPU_S = 2 << 30, 500, 180.0
"""The limits of all its processes together. A report takes some 450 MiB, 150 threads and 10 s."""
LOOK_EVERY_S = 0.5
SCRATCH_BYTES = 256 << 20
_LIMITS = ("prlimit", f"--data={2 << 30}", "--cpu=120", f"--fsize={128 << 20}", "--core=0")
"""The limits of each of its processes: memory that it writes to, seconds of CPU, bytes of a file."""
MOST_BYTES = 64 * 1024 * 1024

_PAGE, _PDF = "report.html", "report.pdf"
_READ = ("/etc/alternatives", "/etc/chromium", "/etc/chromium.d", "/etc/fonts", "/etc/ld.so.cache")
_SANDBOX = (
    *("--unshare-all", "--die-with-parent", "--new-session", "--clearenv"),
    *("--uid", "1000", "--gid", "1000"),  # Chromium's own sandbox is for anybody but root
    *("--setenv", "PATH", "/usr/bin:/bin", "--setenv", "LANG", "C.UTF-8"),
    *("--setenv", "HOME", "/scratch", "--setenv", "TMPDIR", "/scratch"),
    *("--size", str(SCRATCH_BYTES), "--tmpfs", "/scratch"),
    *("--ro-bind", "/usr", "/usr"),
    *("--symlink", "usr/bin", "/bin", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64"),
    *(word for path in _READ for word in ("--ro-bind-try", path, path)),
    *("--proc", "/proc", "--dev", "/dev"),
)
_BROWSER = (
    "--headless",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-pdf-header-footer",
    "--window-size=900,1200",  # two charts beside each other, as on the paper
    f"--print-to-pdf=/work/{_PDF}",
)


class Paper(StrEnum):
    """Sizes of sheets, as style sheets name them."""

    a4 = "A4"
    letter = "letter"


class Sheets(NamedTuple):
    """What a reader prints on, and in which language."""

    language: Language = Language.english
    paper: Paper = Paper.a4


ON_A4 = Sheets()

_NESTED = ("unshare", "--user", "--map-root-user", "--root=/", "true")
"""What Chromium's own sandbox begins with: some machines (AppArmor) allow it to nobody who is in a namespace."""

log = structlog.get_logger(__name__)


async def printed(page: AsyncIterator[bytes], chromium: Path | None, sheets: Sheets = ON_A4) -> bytes:
    """``chromium``: the program; ``None`` for the one in PATH. The page is told the language of the sheets.

    Raises NotFound where this server has no such programs, and Unavailable where they do not print the page.
    """
    sandbox, browser = _programs(chromium)
    with TemporaryDirectory(prefix="ngxlab-pdf-") as name:
        folder = Path(name)
        with (folder / _PAGE).open("wb") as file:
            async for piece in page:
                await asyncio.to_thread(file.write, piece)
            file.write(f"<style>@page {{ size: {sheets.paper} }}</style>".encode())
        alone = [] if await _nests(sandbox) else ["--no-sandbox"]
        said = await _run([*_LIMITS, sandbox, *_SANDBOX, *_browser(browser, name, sheets.language, *alone)])
        made = folder / _PDF
        if not made.is_file() or made.stat().st_size > MOST_BYTES:
            log.error("a report was not printed", said=said[-2000:])
            raise Unavailable(
                "The server could not print the report. Print it with your browser; the server's log has the reason.",
                code="not-printed",
            )
        return await asyncio.to_thread(made.read_bytes)


def _programs(chromium: Path | None) -> tuple[str, str]:
    sandbox, browser = shutil.which("bwrap"), shutil.which(chromium or "chromium")
    if sandbox is None or browser is None:
        raise NotFound(
            "This server makes no PDF: it lacks the programs chromium or bwrap. Print the report with your browser, or "
            "ask the operator to install them.",
            code="no-browser",
        )
    return sandbox, browser


def _browser(browser: str, folder: str, language: Language, *options: str) -> list[str]:
    """The rest of the command: what it is shown, and how Chromium prints it."""
    own = str(Path(browser).resolve().parent)  # where it is elsewhere than in /usr
    shown = ["--ro-bind", own, own, "--bind", folder, "/work", "--chdir", "/work"]
    return [*shown, browser, *_BROWSER, *options, f"--accept-lang={language}", f"file:///work/{_PAGE}#print"]


async def _nests(sandbox: str) -> bool:
    """Whether Chromium can have its own sandbox within the other."""
    nothing = asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(sandbox, *_SANDBOX, *_NESTED, stdout=nothing, stderr=nothing)
    if allowed := await process.wait() == 0:
        return allowed
    log.warning("reports are printed without Chromium's own sandbox: this machine allows none within bubblewrap's")
    return False


async def _run(command: Sequence[str]) -> str:
    """What it said. It is ended with all that it started when its time is over, or who waits for it has gone."""
    pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    process = await asyncio.create_subprocess_exec(*command, stdin=nothing, stdout=nothing, stderr=pipe)
    watch = asyncio.create_task(_watch(process.pid))
    try:
        async with asyncio.timeout(WITHIN_S):
            _, said = await process.communicate()
        if watch.done() and (excess := watch.result()):
            return excess
    except TimeoutError:
        return f"it took longer than {WITHIN_S:g} s"
    finally:
        watch.cancel()
        if process.returncode is None:
            process.kill()
            with CancelScope(shield=True):
                await process.wait()
    return said.decode(errors="replace")


async def _watch(pid: int) -> str | None:
    """Ends the process, and with its namespace all below it, once they take too much. What that was."""
    with suppress(psutil.NoSuchProcess):  # it has ended by itself
        root = psutil.Process(pid)
        while True:
            if excess := await asyncio.to_thread(_excess, root):
                root.kill()
                return excess
            await asyncio.sleep(LOOK_EVERY_S)
    return None


def _excess(root: psutil.Process) -> str | None:
    memory, threads, cpu_s = 0, 0, 0.0
    for process in (root, *root.children(recursive=True)):
        with suppress(psutil.Error), process.oneshot():
            memory += process.memory_full_info().pss
            threads += process.num_threads()
            cpu_s += process.cpu_times().user + process.cpu_times().system
    if memory > MOST_MEMORY:
        return f"it took more than {MOST_MEMORY >> 20} MiB of memory"
    if threads > MOST_THREADS:
        return f"it had more than {MOST_THREADS} threads"
    return f"it took more than {MOST_CPU_S:g} s of CPU" if cpu_s > MOST_CPU_S else None
