"""The programs of load engines and upstream servers, compiled into the virtual environment."""

from pathlib import Path

from scripts.console import run, step
from scripts.paths import BIN, ROOT, VENV
from scripts.stamps import content_hash, is_current, mark

SOURCES = ROOT / "worker" / "native"
OPTIONAL_HEADERS = [
    Path(f"/usr/include/{name}.h") for name in ("nghttp2/nghttp2ver", "ngtcp2/version", "nghttp3/version")
]
"""Those of the versions of libraries with which the programs are built where they are there."""
PROGRAMS = ("ngxlab-openloop", "ngxlab-hold", "ngxlab-respond")


def ensure() -> None:
    """Build the programs where their sources have changed. Needs gcc, make and the headers of ``debian.RUNTIME``."""
    headers = [path for path in OPTIONAL_HEADERS if path.is_file()]
    stamp, sources = VENV / ".stamps" / "native", content_hash([SOURCES, *headers])
    if is_current(stamp, sources) and all((BIN / program).is_file() for program in PROGRAMS):
        return
    with step("Load engines"):
        run(
            ["make", "--silent", "--always-make", "-C", SOURCES, f"OUT={BIN}"],
            hint="look at the compiler's message above; gcc, libc6-dev, libnghttp2-dev and libssl-dev are needed",
        )
        mark(stamp, sources)
