"""Make the sample report of the sign-in page (``/sample``) from the file of a real run's report.

    python -m scripts.sample REPORT.html

REPORT.html: as *Export*, *Web page* gives it. The data inside are kept, with the points of charts to five digits.
"""

import json
import sys
from pathlib import Path
from typing import Any

from scripts.paths import ROOT

SAMPLE = ROOT / "frontend/src/features/reports/sharing/sample.json"
_PLACE = '<script id="ngxlab-data" type="application/json">'
_DIGITS = 5


def sample_of(page: str) -> dict[str, Any]:
    """The data in a report that is a file. Raises ValueError for any other file."""
    _, place, rest = page.partition(_PLACE)
    if not place:
        raise ValueError("this is no report of ngxlab as one file: export it as report.html")
    found: dict[str, Any] = json.loads(rest.partition("</script>")[0])
    for one in found["series"]:
        for line in one["series"]:
            line["points"] = [[_short(value) for value in point] for point in line["points"]]
    return found


def _short(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{_DIGITS}g}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    text = json.dumps(sample_of(Path(sys.argv[1]).read_text()), ensure_ascii=False, separators=(",", ":"))
    SAMPLE.write_text(text + "\n")
    print(f"{SAMPLE.relative_to(ROOT)}: {len(text):,} characters")
