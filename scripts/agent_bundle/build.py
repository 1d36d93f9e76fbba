"""What goes into the bundle, and how it is packed: the same inputs make the same file."""

import gzip
import hashlib
import json
import platform
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path

from scripts.console import Failure, run, say, step
from scripts.paths import BIN, LOCKS, ROOT, VENV
from scripts.setup.native import PROGRAMS, SOURCES
from scripts.setup.python_env import NETWORK_HINT, tool_environment
from scripts.stamps import content_hash, is_current, mark

FOLDER = VENV / "agent-bundle"
_INPUTS = (
    ROOT / "backend" / "contracts",
    ROOT / "backend" / "policy",
    ROOT / "worker",
    ROOT / "systemd" / "ngxlab-agent.service",
    ROOT / "scripts" / "agent_bundle",
    LOCKS / "worker.txt",
)

OWN = ("backend/contracts", "backend/policy", "worker")
_ENVIRONMENT = {
    "NGXLAB_WHEEL_WITHOUT_ENGINES": "1",  # worker/hatch_build.py
    "SOURCE_DATE_EPOCH": "1577836800",  # 2020: a ZIP archive, which a wheel is, knows no time before 1980
}


def ensure() -> None:
    """After the virtual environment and the load engines, whose programs it takes."""
    stamp, inputs = VENV / ".stamps" / "agent-bundle", content_hash(_INPUTS, sys.version)
    if is_current(stamp, inputs) and (FOLDER / "bundle.json").is_file():
        return
    with step("Agent for other hosts"):
        build(FOLDER, BIN / "python", BIN)
        mark(stamp, inputs)


def build(out: Path, python: Path, programs: Path) -> None:
    """Write ``bundle.tar.gz`` and ``bundle.json`` (what the backend's ``AgentBundle`` reads) into ``out``.

    ``python``: an environment with pip and hatchling; ``programs``: the folder of the load engines' programs.
    """
    environment = tool_environment() | _ENVIRONMENT
    with tempfile.TemporaryDirectory(prefix="ngxlab-bundle-") as folder:
        parts = Path(folder)
        wheel: list[str | Path] = [
            python,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--no-index",
            "--no-build-isolation",
        ]
        own = [ROOT / project for project in OWN]
        hint = "look at the message above; a pyproject.toml of the repository may be broken"
        run([*wheel, "--wheel-dir", parts / "own", *own], hint=hint, env=environment)
        shutil.copy(LOCKS / "worker.txt", parts / "requirements.txt")
        complete = _download(parts, python, environment)
        _copy_engines(parts, programs)
        shutil.copy(ROOT / "systemd" / "ngxlab-agent.service", parts)
        about = {
            "machine": platform.machine(),
            "python": ".".join(platform.python_version_tuple()[:2]) if complete else None,
        }
        _publish(out, _pack(parts), about)


def reissue(out: Path) -> None:
    """The same bundle with another hash, as a newer version has: for tests of upgrades."""
    about = json.loads((out / "bundle.json").read_text())
    with tempfile.TemporaryDirectory(prefix="ngxlab-bundle-") as folder:
        shutil.unpack_archive(out / "bundle.tar.gz", folder)
        Path(folder, "reissued").write_text(about["sha256"])
        _publish(out, _pack(Path(folder)), about)


def _publish(out: Path, packed: bytes, about: Mapping[str, object]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    told = dict(about) | {"sha256": hashlib.sha256(packed).hexdigest(), "size_bytes": len(packed)}
    _replace(out / "bundle.tar.gz", packed)
    _replace(out / "bundle.json", json.dumps(told, indent=2).encode())


def _download(parts: Path, python: Path, environment: dict[str, str]) -> bool:
    """The packages as files. Without them the bundle is of use where hosts reach a package index of their own."""
    download: list[str | Path] = [
        python,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--require-hashes",
        "--no-deps",
        "--only-binary",
        ":all:",
    ]
    (parts / "wheels").mkdir()
    try:
        order = [*download, "--dest", parts / "wheels", "--requirement", parts / "requirements.txt"]
        run(order, hint=NETWORK_HINT, env=environment)
    except Failure as failure:
        say(f"    without the packages that the agent needs, so each host gets them from an index: {failure}")
        return False
    return True


def _copy_engines(parts: Path, programs: Path) -> None:
    shutil.copytree(SOURCES, parts / "native", ignore=shutil.ignore_patterns("build"))
    engines = parts / "engines" / platform.machine()
    engines.mkdir(parents=True)
    for name in PROGRAMS:
        shutil.copy2(programs / name, engines / name)


def _pack(parts: Path) -> bytes:
    def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.uid = member.gid = member.mtime = 0
        member.uname = member.gname = ""
        member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
        return member

    with tempfile.TemporaryFile() as file:
        with gzip.GzipFile(fileobj=file, mode="wb", mtime=0, filename="") as squeezed:  # noqa: SIM117  inner one first
            with tarfile.open(fileobj=squeezed, mode="w") as archive:
                for path in sorted(parts.iterdir()):
                    archive.add(path, path.name, filter=plain)
        file.seek(0)
        return file.read()


def _replace(path: Path, content: bytes) -> None:
    """At once, and readable for the server's own user."""
    temporary = path.with_name(f"{path.name}.new")
    temporary.write_bytes(content)
    temporary.chmod(0o644)
    temporary.replace(path)
