"""Command line of the benchmarks. JSON on standard output, progress and table on standard error."""

import argparse
import contextlib
import signal
import sys
from pathlib import Path
from types import FrameType

from scripts.bench import document, suite
from scripts.bench.private_stack import private_stack
from scripts.bench.results import Report
from scripts.console import main_guard


def main() -> int:
    """Exit code 0 whatever the values are; 1 where a benchmark gave no value."""
    options = _options()
    signal.signal(signal.SIGTERM, _interrupt)  # the stack is stopped and removed in this case too
    names = options.only or list(suite.BENCHMARKS)
    with contextlib.redirect_stdout(sys.stderr), private_stack() as lab:
        report = suite.run(lab, names, quick=options.quick)
    _give(report, options.json, write=options.write)
    return 1 if report.not_measured else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m scripts.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, under three minutes")
    parser.add_argument("--only", action="append", choices=list(suite.BENCHMARKS), help="may be repeated")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the JSON document here as well")
    parser.add_argument("--write", action="store_true", help="renew these figures in docs/benchmarks.md")
    return parser.parse_args()


def _give(report: Report, json_file: Path | None, *, write: bool) -> None:
    text = document.as_json(report)
    print(text)
    if json_file is not None:
        json_file.write_text(text + "\n")
    if write:
        document.write(report)
    print(f"\n{document.as_table(report)}", file=sys.stderr)


def _interrupt(signum: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main_guard(main))
