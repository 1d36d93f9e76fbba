"""``make demo``: start the stack, run a real, short experiment, and show its verdict."""

import argparse
import sys

import yaml
from ngxlab_cli import tables
from ngxlab_cli.client import LabClient
from ngxlab_cli.follow import Follower
from ngxlab_cli.models import HostSummary, RecipeDetail, RunDetail
from ngxlab_cli.progress import choose
from ngxlab_cli.start import Order, prepare, start

from scripts.console import Failure, main_guard, say
from scripts.stack import backend, commands, settings
from scripts.stack.settings import Settings

NAME = "Demonstration: what gzip costs and saves"
RECIPE = "gzip-levels"
PLAN = {
    "blocks": 3,
    "warmup_s": 0.5,
    "measure_s": 3,
    "cooldown_s": 0.2,
    "primary": ["response_bytes", "cpu_s_per_1000_requests"],
}
"""Less than the recipe's, and asked what two cores can answer: the rate of requests may be that of a generator which
has to share them with nginx."""


def main() -> int:
    """Exit code 0 only if the run completed and its report has a verdict."""
    parser = argparse.ArgumentParser(prog="make demo", description=__doc__)
    parser.add_argument("--when-told", action="store_true", help="measure when a line comes on standard input")
    options = parser.parse_args()
    loaded = settings.load()
    started = commands.bring_up(loaded)
    if options.when_told and not sys.stdin.readline():
        raise Failure("the set-up has failed, so nothing was measured", "mend what it says; then run make demo again")
    host = backend.own_host(loaded)
    if host is None:
        raise Failure("this machine is not among the hosts", "make up enrols it")
    with backend.api_client(loaded, backend.own_token(loaded)) as client:
        run = _run(client, host)
        say(f"\n{tables.verdict(run, client.report(run.id))}")
        link = client.share(run.id).url
    say(f"\nThe report, for anyone with this link:  {link}")
    say(f"The product:                            {commands.public_url(loaded)}")
    say(f"Sign in as:                             {_account(loaded, started.first_password)}")
    say("Stop with: make down   (data stay)")
    return 0


def _run(client: LabClient, host: HostSummary) -> RunDetail:
    """Run the experiment to its end; Ctrl-C cancels it. Raises :class:`Failure` where it does not complete."""
    order = Order(document=_document(client), name=NAME, hosts=[str(host.id)])
    queued = start(client, prepare(client, order), order)
    say(f"\nExperiment: {queued.question}")
    size = f"{len(queued.arms)} arms x {queued.plan.blocks} blocks in random order (seed {queued.seed})"
    say(f"{size}, on {host.name}\n")
    ended = Follower(client, queued.id, choose(sys.stdout, quiet=False)).follow()
    if ended is None:
        raise KeyboardInterrupt
    if ended.state != "completed":
        raise Failure(f"the run ended as {ended.state}: {ended.state_reason}", "make logs")
    return ended


def _document(client: LabClient) -> str:
    """The recipe with the plan of the demonstration, as YAML."""
    definition = yaml.safe_load(client.call("GET", f"/recipes/{RECIPE}", RecipeDetail).yaml)
    definition["plan"] |= PLAN
    return str(yaml.safe_dump(definition, sort_keys=False, allow_unicode=True))


def _account(loaded: Settings, first_password: str | None) -> str:
    if first_password is not None:
        return f"{loaded.administrator}   password: {first_password}"
    return f"{loaded.administrator}   (password shown at the first start; lost? make admin EMAIL=you@example.org)"


if __name__ == "__main__":
    sys.exit(main_guard(main))
