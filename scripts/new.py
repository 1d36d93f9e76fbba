"""``python -m scripts.new KIND NAME``: write the files of a new collector, check or template, with their tests.

They are well formed, on made-up content; CONTRIBUTING.md says what to put in its place. The real trial of a check fails
until its fault is in it, a collector until it reads its file. Each lies in ``scripts/skeletons/KIND`` as it will in the
checkout.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from scripts.console import Failure, main_guard, say
from scripts.paths import ROOT

SKELETONS = ROOT / "scripts" / "skeletons"
GOLDEN = Path("worker/tests/collectors/golden/linux-6.18")
_NAME = re.compile(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*")


def main() -> int:
    parser = argparse.ArgumentParser(prog="make new", description=__doc__)
    parser.add_argument("kind", choices=sorted(folder.name for folder in SKELETONS.iterdir()))
    parser.add_argument("name", help="as a key, e.g. major-faults; of a collector, its file in /proc, e.g. vmstat")
    chosen = parser.parse_args()
    made = dict(files(chosen.kind, chosen.name))
    if existing := [path for path in made if (ROOT / path).exists()]:
        raise Failure(f"{existing[0]} exists already", "choose another name")
    for path, text in made.items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text)
        say(f"wrote {path}")
    say(f"Next: CONTRIBUTING.md, Adding a {chosen.kind}.")
    return 0


def files(kind: str, name: str, proc: Path = Path("/proc")) -> Iterator[tuple[Path, str]]:
    """Path and content of each file. A collector comes with the file of ``proc`` that it reads, or a made-up one."""
    if not _NAME.fullmatch(name):
        raise Failure(f"{name} is no name", "lower-case letters and digits, in words joined by - or _")
    words = re.split("[_-]", name)
    own = {
        "NAME": "_".join(words),
        "KEY": "-".join(words),
        "TITLE": " ".join(words).capitalize(),
        "CLASS": "".join(word.capitalize() for word in words),
        "SHOUTED": "_".join(words).upper(),
    }
    for path in sorted((SKELETONS / kind).rglob("*.txt")):
        place = str(path.relative_to(SKELETONS / kind).with_suffix(""))
        yield Path(_filled(place, own)), _filled(path.read_text(), own)
    source = proc / own["NAME"]
    if kind == "collector":
        yield GOLDEN / own["NAME"], source.read_text() if source.is_file() else "events 0\n"


def _filled(text: str, own: dict[str, str]) -> str:
    return re.sub("|".join(own), lambda place: own[place[0]], text)


if __name__ == "__main__":
    sys.exit(main_guard(main))
