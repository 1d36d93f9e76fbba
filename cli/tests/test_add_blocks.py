"""``ngxlab add-blocks`` against a real backend."""

from finished_runs import finished_run
from harness import Backend
from tests.support.caller import Caller


def test_blocks_are_added_as_recommended_or_as_asked(lab: Backend, caller: Caller) -> None:
    agent = lab.agent()
    experiment = caller.person.experiment(blocks=5)
    arms = ("mutex-on", "mutex-off", "reuseport")
    rates = ([1000.0, 1010, 995, 1005, 1002], [1015.0, 995, 1010, 993, 1012], [990.0, 1018, 990, 1015, 988])
    close = dict(zip(arms, rates, strict=True))
    run = finished_run(lab, caller.person, agent, experiment["id"], close)
    more = caller.person.client.get(f"/runs/{run['id']}").raise_for_status().json()["more_blocks"]
    assert more > 0
    added = caller.ngxlab("add-blocks", run["id"])
    assert added.returncode == 0, added.stderr
    assert f"{more} blocks added, {5 + more} in all; the run is queued" in added.stdout
    refused = caller.ngxlab("add-blocks", run["id"], "--more", "3")
    assert refused.returncode != 0
    assert "Blocks are added to a completed run" in refused.stderr
