"""The arguments of ``ngxlab``."""

import argparse
import os
import sys
from functools import partial
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import NoReturn
from uuid import UUID

from ngxlab_cli import bench, commands, compare, completion, files, profile, results, revision, trends
from ngxlab_cli.ci import ci
from ngxlab_cli.documents import Command, ask
from ngxlab_cli.errors import Exit, UsageError
from ngxlab_cli.offline import add_judge, add_mix, add_several, with_judge
from ngxlab_cli.run_names import A_RUN, of_run, run_name
from ngxlab_cli.schedule import Subparsers, add_schedule

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
                             they override what `ngxlab login` has saved. Where nothing names a server, it is the one
                             that `make up` started in the checkout of this command; `bench` starts it if need be
"""
_OF_JOBS = """\
of a job
  GITHUB_TOKEN, GITLAB_TOKEN   write the comment and the check
  7  nothing was compared: without NGXLAB_URL and NGXLAB_TOKEN, as in a job of a fork, with a new file, or where only
     other arms have changed
"""
INTERRUPTED = 130
NOBODY_READS = 141
"""As of a program that a signal ends, SIGPIPE: no code of a run."""
EXPORTS = (
    "report.md", "report.html", "report.pdf", "data.json", "data.csv", "data.parquet", "histograms.hlog", "metrics.txt",
    "metrics.om", "run.zip",
)  # fmt: skip


def main() -> None:
    try:
        try:
            code = commands.perform(_parser().parse_args(commands.with_named_changes(sys.argv[1:])))
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:  # as of `ngxlab runs | head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is flushed at the end
        code = NOBODY_READS
    sys.exit(code)


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
    _add_bench(parsers)
    _add_ci(parsers)
    _add_reading(parsers)
    _add_steering(parsers)
    _add_adding(parsers)
    _add_profile(parsers)
    _add_keeping(parsers)
    add_schedule(_add, parsers)
    _add_documents(parsers)
    add_judge(parsers)
    add_mix(parsers)
    _add_mcp(parsers)
    _add_completion(parsers, parser)
    _add_installed(parsers)
    return parser


def _add_login(parsers: Subparsers) -> None:
    text = "save a personal API token; it is asked for without echo, or read from standard input"
    login = parsers.add_parser("login", help=text, description=text)
    login.add_argument("--url", required=True, help="the server, e.g. http://lab:8400")
    login.set_defaults(perform=commands.login)


def _add_run(parsers: Subparsers) -> None:
    run = _add(parsers, "run", profile.run, "run an experiment")
    _with_subject(run)
    run.add_argument("--seed", type=int, help="determines the order of trials (default: random)")
    run.add_argument("--note", help="a text that is stored with the run")
    add_several(run, "--tag", "TAG", "a short word by which the run is found; repeat it for several")
    revision.add_options(run)
    run.add_argument("--effect", type=float, metavar="PERCENT", help="say how many blocks find a change of so much")
    run.add_argument("--plan", action="store_true", help="say what the plan can find; start and save nothing")
    text = (
        "with --wait: then show where nginx spends its CPU time in each arm (two trials more, which no verdict counts)"
    )
    run.add_argument("--profile", action="store_true", help=text)
    _with_wait(run)
    text = "measure the noise of hosts: run one arm of an experiment against itself"
    calibrate = _add(parsers, "calibrate", commands.calibrate, text)
    _with_subject(calibrate)
    calibrate.add_argument("--arm", metavar="KEY", help="the arm (default: the baseline)")
    calibrate.add_argument("--blocks", type=int, default=5, help="how many pairs (default: %(default)s)")
    _with_wait(calibrate)


def _add_bench(parsers: Subparsers) -> None:
    text = (
        "run your own nginx configuration under load, or compare two: nginx.conf, a folder, or what nginx -T prints; "
        "on this machine where no server is named"
    )
    bench_ = _add(parsers, "bench", bench.bench, text)
    bench_.add_argument("old", type=Path, metavar="OLD", help="the configuration; the baseline where there are two")
    bench_.add_argument("new", type=Path, nargs="?", metavar="NEW", help="what it is compared with")
    bench_.add_argument("--each", action="store_true", help="also an arm for each change: which makes the difference?")
    bench_.add_argument("--show", action="store_true", help="show what becomes of each line; start and save nothing")
    bench_.add_argument("--server", type=int, metavar="NUMBER", help="the server block that gets the load, from 0")
    bench_.add_argument("--path", help="what the load asks for, such as /index.html")
    bench_.add_argument("--workers", type=int, help="in the place of worker_processes auto (default: the host's CPUs)")
    _with_place(bench_)
    bench_.add_argument("--note", help="a text that is stored with the run")
    revision.add_options(bench_)
    _with_quiet(bench_)
    bench_.set_defaults(wait=True, starts_server=True)


def _add_ci(parsers: Subparsers) -> None:
    text = (
        "in a job of GitHub or GitLab: compare an experiment's file, or an nginx configuration, with what it was where "
        "the change began, as two arms of one run; write the verdict as a comment, a check and files (docs/ci.md)"
    )
    brief = "compare a change with its base, in a job of GitHub or GitLab"
    parser = parsers.add_parser(
        "ci", help=brief, description=text, epilog=f"{EXIT_CODES}\n{ENVIRONMENT}\n{_OF_JOBS}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("file", type=Path, metavar="FILE", help="an experiment (.yaml), nginx.conf, or its folder")
    text = "compare with where the change left this, such as origin/main (default: the target of the request)"
    parser.add_argument("--base", metavar="REF", help=text)
    parser.add_argument(
        "--arm", metavar="KEY", help="of an experiment's file: the arm to compare (default: its baseline)"
    )
    _with_hosts(parser)
    parser.add_argument("--server", type=int, metavar="NUMBER", help="of nginx.conf, as of `ngxlab bench`")
    parser.add_argument("--path", help="likewise, such as /index.html")
    parser.add_argument("--workers", type=int, help="likewise")
    text = "write ngxlab.json, ngxlab.md and ngxlab.xml (JUnit) there"
    parser.add_argument("--output", type=Path, metavar="FOLDER", help=text)
    text = "link to the report without an account, with a picture: whoever reads the comment reads the report"
    parser.add_argument("--share", action="store_true", help=text)
    revision.add_options(parser)
    parser.add_argument("--url", help="the server (default: NGXLAB_URL)")
    parser.add_argument("--token", help="a personal API token (default: NGXLAB_TOKEN)")
    _with_quiet(parser)
    parser.set_defaults(perform=ci)


def _with_subject(run: argparse.ArgumentParser) -> None:
    """What is run, and where."""
    run.add_argument(
        "file", type=Path, nargs="?", metavar="FILE.yaml", help="a file; runs your experiment of its name, or a new one"
    )
    run.add_argument("--experiment", type=UUID, metavar="ID", help="the latest version of a saved experiment")
    run.add_argument("--recipe", metavar="KEY", help="an everyday question (see `ngxlab recipes`); saved as a new one")
    run.add_argument("--template", metavar="KEY", help="a built-in template; saved as a new experiment")
    add_several(run, "--set", "NAME=VALUE", "a parameter of the template")
    run.add_argument("--new", action="store_true", help="save the file as a new experiment in any case")
    _with_place(run)


def _with_place(run: argparse.ArgumentParser) -> None:
    """Where it runs, and what it is called."""
    _with_hosts(run)
    run.add_argument("--name", help="the name of the new experiment")


def _with_hosts(run: argparse.ArgumentParser) -> None:
    text = (
        "the host for a slot, by name or id, e.g. --host target=a --host generator=b; without SLOT: for all other "
        "slots; may be left out where the server has one host only"
    )
    add_several(run, "--host", "[SLOT=]HOST", text)
    text = (
        "the registered nginx of a slot, or of a build that levels name, by name (see `ngxlab hosts`) or path: "
        "--nginx tengine=/opt/tengine/sbin/tengine; without NAME: the target's"
    )
    add_several(run, "--nginx", "[NAME=]BINARY", text)


def _with_wait(run: argparse.ArgumentParser) -> None:
    run.add_argument(
        "--wait", action="store_true", help="wait for the end; Ctrl-C cancels the run, a second one stops waiting"
    )
    _with_quiet(run)


def _add_reading(parsers: Subparsers) -> None:
    wait = _add_of_run(parsers, "wait", commands.wait, "wait for the end of a run and evaluate it as `run --wait` does")
    _with_quiet(wait)
    report = _add_of_run(parsers, "report", commands.report, "show the verdict of a run")
    report.add_argument("--share", action="store_true", help="create a link that shows the report without an account")
    _add_comparisons(parsers)
    _add_window(parsers)
    _add(parsers, "hosts", commands.hosts, "list the registered hosts")
    text = "list everyday questions as ready experiments: `ngxlab run --recipe KEY` runs one"
    recipes = _add(parsers, "recipes", commands.recipes, text)
    recipes.add_argument("words", nargs="*", metavar="WORD", help="only those about all of these words")
    runs = _add(parsers, "runs", commands.runs, "list the latest runs")
    runs.add_argument("--limit", type=int, default=20, help="how many (default: %(default)s)")
    add_several(runs, "--tag", "TAG", "only runs with this tag; may be given several times")
    runs.add_argument("--branch", metavar="NAME", help="only runs of this branch of a repository")


def _add_comparisons(parsers: Subparsers) -> None:
    text = (
        "compare arms of several runs with those of the first, unpaired; exit codes: 0 no arm is worse in a primary "
        "metric, 1 one is, 2 the intervals do not decide, 3 not valid or not comparable"
    )
    compare_ = _add(parsers, "compare", compare.compare, text)
    compare_.add_argument("runs", type=run_name, nargs="+", metavar="RUN", help=f"the baseline, and others: {A_RUN}")
    add_several(compare_, "--arm", "[RUN:]ARM", "only this arm, of all runs or of one")
    compare_.add_argument("--baseline", metavar="RUN[:ARM]", help="default: each arm's namesake in the first run")
    compare_.add_argument("--markdown", action="store_true", help="print Markdown, for a pull request")
    trends_ = _add(parsers, "trends", trends.trends, "show an experiment's metrics over its runs, and what changed")
    trends_.add_argument("experiment", type=UUID, metavar="EXPERIMENT", help="the experiment's id")
    trends_.add_argument("--branch", metavar="NAME", help="only runs of this branch of a repository")
    trends_.add_argument("--limit", type=int, default=20, help="how many runs a table has (default: %(default)s)")


def _add_window(parsers: Subparsers) -> None:
    text = "compute a finished run for another measured window; its report says so, and the planned one can be restored"
    window = _add_of_run(parsers, "window", commands.window, text)
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
        parser = _add_of_run(parsers, action, commands.steer, text)
        parser.set_defaults(action=action)


def _add_adding(parsers: Subparsers) -> None:
    text = (
        "let a completed run go on with more blocks; what is decided stands, and the verdict on all of them has a "
        "small part of the 5 %% by which a run may err (docs/method.md, Added blocks)"
    )
    add = _add_of_run(parsers, "add-blocks", commands.add_blocks, text)
    help_ = "how many more; by default as many as the report recommends"
    add.add_argument("--more", type=int, metavar="N", help=help_)


def _add_profile(parsers: Subparsers) -> None:
    text = (
        "show where nginx spends its CPU time in each arm of a completed run, and which functions differ from the "
        "baseline's; by trials that no verdict counts (docs/profiles.md)"
    )
    parser = _add_of_run(parsers, "profile", profile.profile, text)
    parser.add_argument(
        "--trials", type=int, default=profile.TRIALS, metavar="N", help="of each arm in all (default: %(default)s)"
    )
    parser.add_argument(
        "--output", type=Path, metavar="FOLDER", help="write the stacks there: ARM.folded, and for pprof ARM.pb.gz"
    )
    _with_wait(parser)


def _add_keeping(parsers: Subparsers) -> None:
    star = _add_of_run(parsers, "star", commands.star, "mark a run as worth keeping, for everybody to see")
    star.add_argument("--remove", action="store_true", help="take the mark away")
    text = "add tags to a run and remove others; without any, show them"
    tag = _add_of_run(parsers, "tag", commands.tag, text)
    tag.usage = f"{tag.prog} [options] RUN [+TAG ...] [-TAG ...]"
    add_several(tag, "--add", "TAG", "the same as +TAG")
    add_several(tag, "--remove", "TAG", "the same as -TAG")
    text = "write a note on a run in Markdown; without a text, show its notes"
    note = _add_of_run(parsers, "note", commands.note, text)
    note.add_argument("text", nargs="?", metavar="TEXT")
    note.add_argument("--trial", type=UUID, metavar="ID", help="write on this trial of the run")
    note.add_argument("--at", type=float, metavar="SECONDS", help="a moment of the trial, from its planned window on")
    text = "delete a run that is over, with all that was measured in it"
    delete = _add_of_run(parsers, "delete", commands.delete, text)
    delete.add_argument("--end-links", action="store_true", help="also if links to its report work, which then end")


def _add_documents(parsers: Subparsers) -> None:
    validate = _add(parsers, "validate", commands.validate, "check an experiment's file without running it")
    validate.add_argument("file", type=Path, metavar="FILE.yaml")
    text = "print an experiment as YAML, or with --format write a run to a file"
    export = _add(parsers, "export", files.export, text)
    export.add_argument(
        "subject", type=run_name, metavar="ID", help=f"the experiment's id; with --format, a run: {A_RUN}"
    )
    export.add_argument("--version", type=int, help="of the experiment; default: the latest")
    export.add_argument("--format", choices=EXPORTS, help="of a run's file; run.zip is all of it, for `ngxlab import`")
    export.add_argument("--output", type=Path, metavar="FILE", help="default: a name that says the run; -: print it")
    _add_import(parsers)


_OTHER_TOOLS = """\
with --from
  Each arm has one file for each time that it was measured, in the same order: its nth file is block n. Files are
  grouped as ARM=FILE, where FILE may be a pattern in quotes ('old=old-*.txt'), or by the names of their folders.
  Nothing is sent, and the server keeps nothing of it. Formats, and what cannot be judged: docs/other-tools.md.
"""


def _add_import(parsers: Subparsers) -> None:
    text = (
        "take in the archive of a run that another installation measured (run.zip); or, with --from, judge what "
        "another tool measured, by the procedure of the reports, which needs no server"
    )
    take_in = _add(parsers, "import", files.import_run, text)
    take_in.epilog = f"{_OTHER_TOOLS}\n{take_in.epilog}"
    take_in.add_argument(
        "files", nargs="+", metavar="FILE", help="run.zip; with --from, [ARM=]FILE for each measurement"
    )
    others = take_in.add_argument_group("results of another tool")
    others.add_argument("--from", dest="tool", choices=results.TOOLS, help="the tool that wrote the files")
    others.add_argument("--baseline", metavar="ARM", help="what all other arms are compared with (default: the first)")
    text = (
        "a metric to make claims on; repeat it, in their order (default: throughput, or p99 where the rate was given)"
    )
    others.add_argument("--primary", action="append", metavar="METRIC", help=text)
    text = "a smaller change does not matter: 0.02 is 2 %% (the default); for one metric METRIC=0.05; repeat"
    add_several(others, "--margin", "[METRIC=]SHARE", text)
    text = "write the values for `ngxlab judge` instead, to be kept; -: print them"
    others.add_argument("--csv", type=Path, metavar="FILE", help=text)
    take_in.set_defaults(perform=_import)


def _import(arguments: argparse.Namespace) -> Exit:
    if arguments.tool is not None:
        return with_judge(results.judge_results, arguments)
    if arguments.csv or arguments.primary or arguments.margin or arguments.baseline:
        raise UsageError("--baseline, --primary, --margin and --csv need --from")
    return ask(files.import_run, arguments)


def _add(parsers: Subparsers, name: str, command: Command, text: str) -> argparse.ArgumentParser:
    parser = parsers.add_parser(
        name,
        help=text,
        description=text,
        epilog=f"{EXIT_CODES}\n{ENVIRONMENT}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(perform=partial(ask, command))
    _with_server(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document on standard output")
    return parser


def _with_server(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--url", help="the server (default: NGXLAB_URL)")
    parser.add_argument("--token", help="a personal API token (default: NGXLAB_TOKEN, which other users cannot see)")


def _add_of_run(parsers: Subparsers, name: str, command: Command, text: str) -> argparse.ArgumentParser:
    parser = _add(parsers, name, of_run(command), text)
    parser.add_argument("run", type=run_name, metavar="RUN", help=f"the run: {A_RUN}")
    return parser


def _with_quiet(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def _add_mcp(parsers: Subparsers) -> None:
    text = (
        "serve runs and experiments to a language model, over standard input and output (Model Context Protocol); what "
        "it may do is what the token may: read, or operate (docs/mcp.md)"
    )
    brief = "serve runs and experiments to a language model (MCP)"
    mcp = parsers.add_parser("mcp", help=brief, description=text)
    _with_server(mcp)
    mcp.add_argument("--read-only", action="store_true", help="offer nothing that starts or ends runs")
    mcp.set_defaults(perform=_serve)


def _serve(arguments: argparse.Namespace) -> Exit:
    try:
        from ngxlab_cli.mcp import serve  # noqa: PLC0415 (loads a web server)
    except ModuleNotFoundError as missing:
        raise UsageError(
            f"`ngxlab mcp` needs {missing.name}: `pip install 'ngxlab-cli[mcp]'`, "
            "or in a checkout of ngxlab `pip install './cli[mcp]'`"
        ) from missing
    return serve(arguments)


def _add_completion(parsers: Subparsers, whole: argparse.ArgumentParser) -> None:
    text = "print a script with which your shell completes commands, options and files"
    shells = parsers.add_parser(
        "completion",
        help=text,
        description=text,
        epilog=completion.HOW,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    shells.add_argument("shell", choices=completion.SHELLS)
    shells.set_defaults(perform=partial(completion.completion, whole))


def _add_installed(parsers: Subparsers) -> None:
    """Add the commands of other packages: today ``ngxlab host``, which the worker brings, and which explains without it
    what is missing.

    A package adds a command with an entry point of the group ``ngxlab.commands``. It names a function that takes the
    subparsers of ``ngxlab``, adds its parser, and sets ``perform`` to a function from the arguments to an exit code.
    """
    installed = entry_points(group="ngxlab.commands")
    for entry_point in installed:
        entry_point.load()(parsers)
    if "host" in installed.names:
        return
    host = parsers.add_parser("host", help="make this machine a host (needs the worker package)", add_help=False)
    host.add_argument("words", nargs=argparse.REMAINDER)
    host.set_defaults(perform=_refuse_host)


def _refuse_host(_: argparse.Namespace) -> Exit:
    raise UsageError(
        "`ngxlab host join` needs the worker package on this machine: "
        "`pip install ngxlab-worker`, or in a checkout of ngxlab `make setup`"
    )
