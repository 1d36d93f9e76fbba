"""``python -m scripts.reruns forget|note|tell [FOLDER...]``: count the tests that passed only when they ran again.

``make test`` runs what failed in one of several processes once more, alone. ``note`` enters the last session's failures
in the FOLDERs before that; ``tell`` prints them, with their number.
"""

import json
import sys

from scripts.paths import ROOT

FAILED = ROOT / ".pytest_cache" / "v" / "cache" / "lastfailed"
NOTED = ROOT / ".pytest_cache" / "ran-twice"


def main(order: str, *folders: str) -> str:
    """What to print."""
    if order == "forget":
        NOTED.unlink(missing_ok=True)
        return ""
    noted = NOTED.read_text().splitlines() if NOTED.is_file() else []
    if order == "note":
        failed = [name for name in json.loads(FAILED.read_text()) if name.startswith(folders)]
        NOTED.write_text("".join(f"{name}\n" for name in [*noted, *failed]))
        return ""
    if not noted:
        return "0 tests ran twice.\n"
    listed = "".join(f"  {name}\n" for name in noted)
    return f"{len(noted)} {'test' if len(noted) == 1 else 'tests'} ran twice:\n{listed}"


if __name__ == "__main__":
    sys.stdout.write(main(*sys.argv[1:]))
