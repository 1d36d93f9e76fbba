"""``ngxlab mix ACCESS_LOG``: reads a log, and prints the mix and what was made of it. It needs no server."""

import argparse
import gzip
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import IO, cast

from ngxlab_cli.errors import Exit, UsageError
from ngxlab_cli.mix.access_log import LONGEST_LINE, reader
from ngxlab_cli.mix.arrivals import MOST_ARRIVALS, TICKS_PER_S
from ngxlab_cli.mix.document import Mix, MixOptions, mean_rate, mix_of, replayed, text
from ngxlab_cli.mix.model import MOST_HASHES, Model

_GZIP = b"\x1f\x8b"


def mix(arguments: argparse.Namespace) -> Exit:
    """The YAML goes to standard output, the summary to standard error. Raises ``UsageError``."""
    options = MixOptions(arguments.top, arguments.least)
    try:
        with _opened(arguments.log) as log:
            model = model_of(lines_of(log), arguments.format)
    except (OSError, EOFError) as error:
        raise UsageError(f"{arguments.log} cannot be read: {error}") from error
    if not model.requests:
        message = "has no line of that format" if arguments.format else "has no line of the format combined, nor JSON"
        raise UsageError(f"{arguments.log} {message}: give its log_format by --format")
    made, rate, said = mix_of(model, options), mean_rate(model.per_s), list[str]()
    if arguments.replay is not None:
        ticks = model.arrivals.ticks
        if ticks is None:
            raise UsageError(
                f"{arguments.log} has no times that are apart and within a day: there is nothing to replay"
            )
        rate, said = replayed(ticks, arguments.replay), list(_of_replay(model, ticks, arguments.replay))
    sys.stderr.write("\n".join([*summary(model, made, options), *said]) + "\n")
    sys.stdout.write(text(made, rate))
    return Exit.OK


def model_of(lines: Iterator[str], log_format: str | None) -> Model:
    model = Model()
    first = next((line for line in lines if line.strip()), None)
    if first is None:
        return model
    read = reader(log_format, first)
    for line in chain([first], lines):
        if line:
            model.add(read(line))
    return model


def lines_of(log: IO[bytes]) -> Iterator[str]:
    """The lines; where one is too long, its beginning."""
    while line := log.readline(LONGEST_LINE):
        if not line.endswith(b"\n"):
            while (rest := log.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
        yield line.decode(errors="replace").rstrip("\r\n")


def _opened(path: Path) -> IO[bytes]:
    if str(path) == "-":
        return sys.stdin.buffer
    with path.open("rb") as file:
        packed = file.read(2) == _GZIP
    if packed:
        return cast(IO[bytes], gzip.open(path, "rb"))
    return path.open("rb")


def summary(model: Model, made: Mix, options: MixOptions) -> Iterator[str]:
    """What was read, what is kept, what was taken out, and what the files do not answer."""
    total = model.requests
    yield f"{total:,} requests were read; {model.unread:,} lines were not understood, or no request of a path"
    rare = f" and at least {options.least:,} times" if options.least > 1 else ""
    yield (
        f"the mix has {len(made.requests):,} kinds of request, asked for most often{rare}: "
        f"{_percent(made.kept, total)} of all. Look at their paths below before you pass them on"
    )
    yield (
        "taken out: addresses, names, cookies, referers and user agents of all; "
        f"queries of {model.queries:,} requests; what looks personal or secret in the paths of {model.hidden:,}, "
        "where {n} and _ stand for it"
    )
    yield f"numbers for {{n}}: as many as there were, estimated beyond {MOST_HASHES:,}; each equally frequent"
    for path, law in made.laws.items():
        yield (
            f"but of {path} by Zipf's law: exponent {law.exponent:.2f} ± {1.96 * law.error:.2f} (95 %), {law.count:,} "
            "numbers with those that nobody has asked for yet"
        )
    yield (
        f"files of like sizes answer {_percent(made.answered, total)}; the others of the mix get 204 at once: "
        "proxy them to an upstream server if their cost matters"
    )
    yield "methods: " + ", ".join(f"{name} {_percent(count, total)}" for name, count in model.methods.most_common(8))
    yield "statuses: " + ", ".join(f"{name} {_percent(count, total)}" for name, count in model.statuses.most_common(8))
    if model.let_go:
        yield f"{model.let_go:,} requests for rare paths were let go while reading, to bound the memory"
    if model.per_s is None:
        yield "the log has no times: the rate is a guess"


def _of_replay(model: Model, ticks: list[int], speed: float) -> Iterator[str]:
    seconds = sum(ticks) / TICKS_PER_S / speed
    yield (
        f"replayed at {speed:g} times its speed, the log's {len(ticks):,} instants take {seconds:,.1f} s, and begin "
        "again after that; which request comes at which of them is drawn by weight"
    )
    if model.arrivals.beyond:
        yield f"{model.arrivals.beyond:,} later lines are not replayed: at most {MOST_ARRIVALS:,} are"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "0 %"
