"""The arguments of commands that need no server."""

import argparse
from collections.abc import Callable
from pathlib import Path

from ngxlab_cli import mix
from ngxlab_cli.errors import Exit, UsageError
from ngxlab_cli.schedule import Subparsers


def add_several(parser: argparse._ActionsContainer, name: str, metavar: str, text: str) -> None:
    parser.add_argument(name, action="append", default=[], metavar=metavar, help=text)


_TEXT = "judge measured values from a CSV file by the procedure of the reports; needs no server"
_FORMAT = """\
the file
  a header and one line for each value; the columns may have any order, others are ignored:
      experiment,arm,block,metric,value
  `experiment` may be left out. A block is one round in which every arm was measured once; arm and baseline are compared
  within blocks. Columns may be separated by commas, semicolons or tabs; numbers have a decimal point.
  Values are compared by their ratio, so they must be positive; --difference METRIC=MARGIN compares them by difference.

which claims are made
  The metrics given with --primary are one family: the claims on them, over all arms, are wrong with a probability of
  about 5 % at most, together. The first one has 80 % of that, the others share the rest; one that is decided in all
  arms passes its part on. All other metrics are exploratory: a 95 % interval each, no "better" or "worse", and of those
  called higher or lower 5 % are expected not to be. Without --primary all metrics are one family of equal shares, which
  finds less. Conditions, and an example with all options: docs/judge.md.

when the values are read
  Without --planned and --until the file is judged once, as a whole. Who reads it after each block, and may stop, is
  misled more often: --planned and --until give claims that hold at every look.

exit codes
  0  the file was judged, whatever the claims say
  4  a mistake in the arguments or in the file
"""


def add_mix(parsers: Subparsers) -> None:
    text = (
        "make a mix of requests from an access log: prints the parts of an experiment's YAML, and on standard error "
        "what is kept and what was taken out; needs no server, and sends nothing"
    )
    brief = "make a mix of requests from an access log; needs no server"
    mix_ = parsers.add_parser("mix", help=brief, description=text)
    text = "the log, packed by gzip or not; - reads standard input"
    mix_.add_argument("log", type=Path, metavar="ACCESS_LOG", help=text)
    text = "combined, json, or nginx's log_format (the directive, or its text); by default the first line tells"
    mix_.add_argument("--format", metavar="FORMAT", help=text)
    text = "keep so many kinds of request, the most frequent ones (default: %(default)s)"
    mix_.add_argument("--top", type=_count, default=200, metavar="N", help=text)
    text = "leave out requests that were asked for fewer times: one person alone may have asked for them"
    mix_.add_argument("--least", type=_count, default=1, metavar="TIMES", help=text)
    text = "requests come at the log's own instants, SPEED times as fast (default: 1), instead of at its mean rate"
    mix_.add_argument("--replay", type=_speed, nargs="?", const=1.0, metavar="SPEED", help=text)
    mix_.set_defaults(perform=mix.mix)


def _count(text: str) -> int:
    if not 1 <= int(text) <= mix.MOST_REQUESTS:
        raise argparse.ArgumentTypeError(f"{text} is not between 1 and {mix.MOST_REQUESTS}")
    return int(text)


def _speed(text: str) -> float:
    if not 0.001 <= float(text) <= 1000:
        raise argparse.ArgumentTypeError(f"{text} is not between 0.001 and 1000")
    return float(text)


def add_judge(parsers: Subparsers) -> None:
    judge = parsers.add_parser(
        "judge",
        help="judge measured values from a CSV file; needs no server",
        description=_TEXT,
        epilog=_FORMAT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    judge.add_argument("file", metavar="FILE.csv", help="the values; - reads standard input")
    text = "what all other arms are compared with (default: the first arm)"
    judge.add_argument("--baseline", metavar="ARM", help=text)
    text = "a metric to make claims on; repeat it, in their order"
    judge.add_argument("--primary", action="append", metavar="METRIC", help=text)
    add_several(judge, "--lower-is-better", "METRIC", "of the others, more is better; repeat")
    add_several(judge, "--neutral", "METRIC", "neither more nor less of it is better; repeat")
    text = "a smaller change does not matter: 0.02 is 2 %% (the default); for one metric METRIC=0.05; repeat"
    add_several(judge, "--margin", "[METRIC=]SHARE", text)
    text = "compare by difference, for values that may be zero; a smaller one, in its unit, does not matter; repeat"
    add_several(judge, "--difference", "METRIC=MARGIN", text)
    text = "values that a metric cannot pass, such as errors_percent=0:100; with --difference; repeat"
    add_several(judge, "--range", "METRIC=LOWEST:HIGHEST", text)
    text = "a column that has each arm's level of this factor; repeat: effects and interactions follow"
    add_several(judge, "--factor", "COLUMN", text)
    plan = judge.add_mutually_exclusive_group()
    text = "so many blocks were planned: with fewer, claims hold at every look before the planned end"
    plan.add_argument("--planned", type=int, metavar="BLOCKS", help=text)
    text = "blocks are added as long as one likes, so many at most: claims hold at every look"
    plan.add_argument("--until", type=int, metavar="BLOCKS", help=text)
    judge.add_argument("--json", action="store_true", help="print one JSON document a line, one for each experiment")
    judge.set_defaults(perform=_judge)


def _judge(arguments: argparse.Namespace) -> Exit:
    def judge_file(asked: argparse.Namespace) -> Exit:
        from ngxlab_cli import judge  # noqa: PLC0415 (loads numpy and scipy)

        return judge.judge_file(asked)

    return with_judge(judge_file, arguments)


def with_judge(perform: Callable[[argparse.Namespace], Exit], arguments: argparse.Namespace) -> Exit:
    try:
        return perform(arguments)
    except ModuleNotFoundError as missing:
        raise UsageError(
            f"judging needs {missing.name}: `pip install 'ngxlab-cli[judge]'`, "
            "or in a checkout of ngxlab `pip install ./cli ./backend/verdict`"
        ) from missing
