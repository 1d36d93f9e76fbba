"""The programs of load engines and upstream servers, compiled into the virtual environment."""

from scripts.console import run, step
from scripts.paths import BIN, ROOT, VENV
from scripts.stamps import content_hash, is_current, mark

SOURCES = ROOT / "worker" / "native"
PROGRAMS = ("ngxlab-openloop", "ngxlab-hold", "ngxlab-respond")


def ensure() -> None:
    """Build the programs where their sources have changed. Needs gcc, make and the headers of ``debian.RUNTIME``."""
    stamp, sources = VENV / ".stamps" / "native", content_hash([SOURCES])
    if is_current(stamp, sources) and all((BIN / program).is_file() for program in PROGRAMS):
        return
    with step("Load engines"):
        run(
            ["make", "--silent", "--always-make", "-C", SOURCES, f"OUT={BIN}"],
            hint="look at the compiler's message above; gcc, libc6-dev, libnghttp2-dev and libssl-dev are needed",
        )
        mark(stamp, sources)
