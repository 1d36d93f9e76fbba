"""The search, with a list of directives that has a hole which was real: what it must find is known."""

import json
import re
import sys
from collections.abc import Sequence
from unittest import mock

from definition.fuzzing.alone import alone
from definition.fuzzing.run import fuzz
from ngxlab_policy import arguments
from ngxlab_policy.arguments import Scope

SEED = "hole 6"
AT_MOST_S = 200
AS_IT_WAS = r"https?://([A-Za-z0-9_.-]+)((/|\$request_uri|\$uri)\S*)?"
"""It takes the author's variable ``$uri_x`` for ``$uri`` with something behind it."""


def _proxy_pass(args: Sequence[str], scope: Scope) -> str | None:
    match = re.fullmatch(AS_IT_WAS, args[0], re.ASCII)
    known = match is not None and (scope.upstreams is None or match[1] in scope.upstreams)
    return None if known else "refused"


def main() -> None:
    with (
        mock.patch.dict("ngxlab_policy.arguments.RULES", proxy_pass=_proxy_pass),
        mock.patch.object(arguments, "_NAMES_OF_OTHERS", frozenset[str]()),
    ):
        found = fuzz(SEED, AT_MOST_S, lambda so_far: bool(so_far.beyond))
    json.dump({**found.counts(), "found": found.beyond}, sys.stdout)


if __name__ == "__main__":
    alone("definition.fuzzing.with_the_hole")
    main()
