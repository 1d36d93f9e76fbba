"""Configurations that the list of directives accepts, run in a real nginx that is watched.

Each may open files of its own folder and connect to the upstream server that it declares, and nothing else.
"""

import argparse
import json
import sys

from definition.fuzzing.alone import alone
from definition.fuzzing.run import Fuzzed, fuzz, seed_of_the_list


def main() -> int:
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", help="which texts to try; left out, the list of directives itself decides")
    parser.add_argument("--json", action="store_true", help="for programs")
    asked = parser.parse_args()
    found = fuzz(asked.seed or seed_of_the_list(), asked.minutes * 60)
    if asked.json:
        json.dump({**found.counts(), "found": found.beyond}, sys.stdout)
    else:
        _say(found)
    return 1 if found.beyond else 0


def _say(found: Fuzzed) -> None:
    for text, acts in found.beyond:
        sys.stdout.write(f"accepted, and reaches out:\n{text}\n")
        sys.stdout.write("".join(f"    {act}\n" for act in acts))
    sys.stdout.write(", ".join(f"{number:,} {what}" for what, number in found.counts().items()) + "\n")


if __name__ == "__main__":
    alone("definition.fuzzing")
    sys.exit(main())
