"""The arguments of ``ngxlab``."""

import argparse
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import NoReturn
from uuid import UUID

from ngxlab_cli import commands, compare, curation, files, plugins, trends
from ngxlab_cli.errors import Exit, UsageError
from ngxlab_cli.plugins import Subparsers
from ngxlab_cli.schedule import add_schedule

EXIT_CODES = """\
exit codes
  0  success; the run completed and met its thresholds, if it has any
  1  the run completed, and a threshold was not met
  2  the run completed, and the intervals do not decide every threshold: more blocks may
  3  the run completed, and a validity check found an error that voids its results
  4  a mistake in the arguments or in the experiment, or the server refuses: each problem with its field
  5  the run failed or was cancelled, or you stopped waiting before its end
  6  the server cannot be reached, or does not accept your token
"""
ENVIRONMENT = """\
settings
  NGXLAB_URL, NGXLAB_TOKEN   the server and a personal API token. The options --url and --token override them;
                             they override what `ngxlab login` has saved
"""
INTERRUPTED = 130
EXPORTS = (
    "report.md", "report.html", "report.pdf", "data.json", "data.csv", "data.parquet", "histograms.hlog", "metrics.txt",
    "run.zip",
)  # fmt: skip

Command = Callable[[argparse.Namespace], Exit]


def main() -> None:
    """Entry point of ``ngxlab``."""
    arguments = _parser().parse_args(curation.with_named_changes(sys.argv[1:]))
    try:
        sys.exit(commands.perform(arguments))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


class _Parser(argparse.ArgumentParser):
    """Parsers of commands are of the same class as the parser of the whole."""

    def error(self, message: str) -> NoReturn:
        """argparse's own code would be that of a run that is undecided."""
        self.print_usage(sys.stderr)
        self.exit(Exit.USAGE, f"{self.prog}: error: {message}\n")


def _parser() -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = _Parser(
        prog="ngxlab",
        description="Run NGINX experiments on the hosts of an ngxlab server.",
        epilog=f"{EXIT_CODES}\n{ENVIRONMENT}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {version('ngxlab-cli')}")
    parsers = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_login(parsers)
    _add_run(parsers)
    _add_calibrate(parsers)
    _add_reading(parsers)
    _add_steering(parsers)
    _add_keeping(parsers)
    add_schedule(_add, parsers)
    _add_documents(parsers)
    add_judge(parsers)
    plugins.add_installed(parsers)
    return parser


def _add_login(parsers: Subparsers) -> None:
    text = "save a personal API token; it is asked for without echo, or read from standard input"
    login = parsers.add_parser("login", help=text, description=text)
    login.add_argument("--url", required=True, help="the server, e.g. http://lab:8400")
    login.set_defaults(perform=commands.login)


def _add_run(parsers: Subparsers) -> None:
    run = _add(parsers, "run", commands.run, "run an experiment")
    _with_subject(run)
    run.add_argument("--seed", type=int, help="determines the order of trials (default: random)")
    run.add_argument("--note", help="a text that is stored with the run")
    run.add_argument("--effect", type=float, metavar="PERCENT", help="say how many blocks find a change of so much")
    run.add_argument("--plan", action="store_true", help="say what the plan can find; start and save nothing")
    _with_wait(run)


def _add_calibrate(parsers: Subparsers) -> None:
    text = "measure the noise of hosts: run one arm of an experiment against itself"
    calibrate = _add(parsers, "calibrate", commands.calibrate, text)
    _with_subject(calibrate)
    calibrate.add_argument("--arm", metavar="KEY", help="the arm (default: the baseline)")
    calibrate.add_argument("--blocks", type=int, default=5, help="how many pairs (default: %(default)s)")
    _with_wait(calibrate)


def _with_subject(run: argparse.ArgumentParser) -> None:
    """What is run, and where."""
    run.add_argument("file", type=Path, nargs="?", metavar="FILE.yaml", help="a file; saved as a new experiment")
    run.add_argument("--experiment", type=UUID, metavar="ID", help="the latest version of a saved experiment")
    run.add_argument("--template", metavar="KEY", help="a built-in template; saved as a new experiment")
    run.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a parameter of the template")
    run.add_argument(
        "--host",
        action="append",
        default=[],
        metavar="[SLOT=]HOST",
        help="the host for a slot, by name or id, e.g. --host target=a --host generator=b; without SLOT: for all "
        "other slots; may be left out where the server has one host only",
    )
    run.add_argument(
        "--nginx",
        action="append",
        default=[],
        metavar="[NAME=]BINARY",
        help="the registered nginx of a slot, or of a build that levels name, by name (see `ngxlab hosts`) or path: "
        "--nginx tengine=/opt/tengine/sbin/tengine; without NAME: the target's",
    )
    run.add_argument("--name", help="the name of the new experiment")


def _with_wait(run: argparse.ArgumentParser) -> None:
    run.add_argument(
        "--wait", action="store_true", help="wait for the end; Ctrl-C cancels the run, a second one stops waiting"
    )
    _with_quiet(run)


def _add_reading(parsers: Subparsers) -> None:
    wait = _add(parsers, "wait", commands.wait, "wait for the end of a run and evaluate it as `run --wait` does")
    _with_run(wait)
    _with_quiet(wait)
    report = _add(parsers, "report", commands.report, "show the verdict of a run")
    _with_run(report)
    report.add_argument("--share", action="store_true", help="create a link that shows the report without an account")
    _add_compare(parsers)
    _add_trends(parsers)
    _add_window(parsers)
    _add(parsers, "hosts", commands.hosts, "list the registered hosts")
    runs = _add(parsers, "runs", commands.runs, "list the latest runs")
    runs.add_argument("--limit", type=int, default=20, help="how many (default: %(default)s)")
    runs.add_argument("--tag", action="append", default=[], help="only runs with this tag; may be given several times")


def _add_compare(parsers: Subparsers) -> None:
    text = (
        "compare arms of several runs with those of the first, unpaired; exit codes: 0 no arm is worse in a primary "
        "metric, 1 one is, 2 the intervals do not decide, 3 not valid or not comparable"
    )
    compare_ = _add(parsers, "compare", compare.compare, text)
    compare_.add_argument("runs", type=UUID, nargs="+", metavar="RUN", help="the baseline's id, and those of others")
    compare_.add_argument(
        "--arm", action="append", default=[], metavar="[RUN:]ARM", help="only this arm, of all runs or of one"
    )
    compare_.add_argument("--baseline", metavar="RUN[:ARM]", help="default: each arm's namesake in the first run")
    compare_.add_argument("--markdown", action="store_true", help="print Markdown, for a pull request")


def _add_trends(parsers: Subparsers) -> None:
    trends_ = _add(parsers, "trends", trends.trends, "show an experiment's metrics over its runs, and what changed")
    trends_.add_argument("experiment", type=UUID, metavar="EXPERIMENT", help="the experiment's id")
    trends_.add_argument("--limit", type=int, default=20, help="how many runs a table has (default: %(default)s)")


def _add_window(parsers: Subparsers) -> None:
    text = "compute a finished run for another measured window; its report says so, and the planned one can be restored"
    window = _add(parsers, "window", commands.window, text)
    _with_run(window)
    window.add_argument(
        "--from", dest="start", type=_seconds, metavar="2s", help="from the start of the planned window; negative "
        "in the warm-up: --from=-1s"
    )  # fmt: skip
    window.add_argument("--to", dest="end", type=_seconds, metavar="8s", help="as --from")
    window.add_argument("--reason", help="a text that the report shows")
    window.add_argument("--restore", action="store_true", help="return to the planned window")
    window.set_defaults(share=False)


def _seconds(text: str) -> float:
    return float(text.removesuffix("s"))


def _add_steering(parsers: Subparsers) -> None:
    for action, text in (
        ("cancel", "end a run; what was measured is kept"),
        ("finish", "end a run after the block in progress, with a verdict that holds at any look"),
        ("pause", "let a run finish its current trial, and start no other"),
        ("resume", "continue a paused run"),
        ("retry", "repeat the missing trials of a failed run"),
    ):
        parser = _add(parsers, action, commands.steer, text)
        _with_run(parser)
        parser.set_defaults(action=action)


def _add_keeping(parsers: Subparsers) -> None:
    star = _add(parsers, "star", curation.star, "mark a run as worth keeping, for everybody to see")
    _with_run(star)
    star.add_argument("--remove", action="store_true", help="take the mark away")
    tag = _add(parsers, "tag", curation.tag, "add tags to a run and remove others; without any, show them")
    tag.usage = f"{tag.prog} [options] RUN [+TAG ...] [-TAG ...]"
    _with_run(tag)
    tag.add_argument("--add", action="append", default=[], metavar="TAG", help="the same as +TAG")
    tag.add_argument("--remove", action="append", default=[], metavar="TAG", help="the same as -TAG")
    note = _add(parsers, "note", curation.note, "write a note on a run in Markdown; without a text, show its notes")
    _with_run(note)
    note.add_argument("text", nargs="?", metavar="TEXT")
    note.add_argument("--trial", type=UUID, metavar="ID", help="write on this trial of the run")
    note.add_argument("--at", type=float, metavar="SECONDS", help="a moment of the trial, from its planned window on")
    delete = _add(parsers, "delete", curation.delete, "delete a run that is over, with all that was measured in it")
    _with_run(delete)
    delete.add_argument("--end-links", action="store_true", help="also if links to its report work, which then end")


def _add_documents(parsers: Subparsers) -> None:
    validate = _add(parsers, "validate", commands.validate, "check an experiment's file without running it")
    validate.add_argument("file", type=Path, metavar="FILE.yaml")
    text = "print an experiment as YAML, or with --format write a run to a file"
    export = _add(parsers, "export", commands.export, text)
    export.add_argument("subject", type=UUID, metavar="ID", help="the experiment's id; with --format, the run's")
    export.add_argument("--version", type=int, help="of the experiment; default: the latest")
    export.add_argument("--format", choices=EXPORTS, help="of a run's file; run.zip is all of it, for `ngxlab import`")
    export.add_argument("--output", type=Path, metavar="FILE", help="default: a name that says the run; -: print it")
    text = "take in the archive of a run that another installation measured (run.zip)"
    take_in = _add(parsers, "import", files.import_run, text)
    take_in.add_argument("file", type=Path, metavar="FILE.zip")


def _add(parsers: Subparsers, name: str, command: Command, text: str) -> argparse.ArgumentParser:
    parser = parsers.add_parser(
        name,
        help=text,
        description=text,
        epilog=f"{EXIT_CODES}\n{ENVIRONMENT}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(perform=command)
    parser.add_argument("--url", help="the server (default: NGXLAB_URL)")
    parser.add_argument("--token", help="a personal API token (default: NGXLAB_TOKEN, which other users cannot see)")
    parser.add_argument("--json", action="store_true", help="print one JSON document on standard output")
    return parser


def _with_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", type=UUID, metavar="RUN", help="the run's id")


def _with_quiet(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--quiet", action="store_true", help="show no progress")


_TEXT = "judge measured values from a CSV file by the procedure of the reports; needs no server"
_FORMAT = """\
the file
  a header and one line for each value; the columns may have any order, others are ignored:
      experiment,arm,block,metric,value
  `experiment` may be left out. A block is one round in which every arm was measured once; arm and baseline are compared
  within blocks. Values are compared by their ratio, so they must be positive.

which claims are made
  The metrics given with --primary are one family: the claims on them, over all arms, are wrong with a probability of
  5 % at most, together. The first one keeps nearly all power. All other metrics are exploratory: a 95 % interval each,
  and no "better" or "worse". Without --primary all metrics are one family of equal shares, which finds less.

exit codes
  0  the file was judged, whatever the claims say
  4  a mistake in the arguments or in the file
"""


def add_judge(parsers: Subparsers) -> None:
    judge = parsers.add_parser(
        "judge",
        help="judge measured values from a CSV file; needs no server",
        description=_TEXT,
        epilog=_FORMAT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    judge.add_argument("file", metavar="FILE.csv", help="the values; - reads standard input")
    judge.add_argument(
        "--baseline", metavar="ARM", help="what all other arms are compared with (default: the first arm)"
    )
    judge.add_argument(
        "--primary", action="append", metavar="METRIC", help="a metric to make claims on; repeat it, in their order"
    )
    judge.add_argument(
        "--lower-is-better", action="append", default=[], metavar="METRIC", help="of the others, more is better; repeat"
    )
    judge.add_argument(
        "--margin",
        type=float,
        default=0.02,
        help="a smaller change does not matter: 0.02 is 2 %% (default: %(default)s)",
    )
    judge.add_argument("--json", action="store_true", help="print one JSON document a line, one for each experiment")
    judge.set_defaults(perform=_perform)


def _perform(arguments: argparse.Namespace) -> Exit:
    try:
        from ngxlab_cli.judge import judge_file  # noqa: PLC0415 (loads numpy and scipy)
    except ModuleNotFoundError as missing:
        raise UsageError(
            f"`ngxlab judge` needs {missing.name}: `pip install 'ngxlab-cli[judge]'`, "
            "or in a checkout of ngxlab `pip install ./cli ./backend/verdict`"
        ) from missing
    return judge_file(arguments)
