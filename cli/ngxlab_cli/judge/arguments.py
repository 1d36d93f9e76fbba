"""The arguments of ``ngxlab judge``. numpy and scipy are loaded when the command runs, and by no other command."""

import argparse

from ngxlab_cli.errors import Exit
from ngxlab_cli.plugins import Subparsers

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
    from ngxlab_cli.judge.command import judge_file  # noqa: PLC0415 (loads numpy and scipy)

    return judge_file(arguments)
