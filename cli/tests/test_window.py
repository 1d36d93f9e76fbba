"""``ngxlab window`` against a real backend."""

from harness import Backend
from tests.support.caller import Caller


def test_a_window_is_chosen_shown_and_restored(lab: Backend, caller: Caller) -> None:
    agent, coordinator = lab.agent(), lab.coordinator()
    run_id = caller.person.run(agent)["id"]
    coordinator.lease(run_id).raise_for_status()
    while (step := coordinator.next(run_id))["kind"] == "trial":
        agent.whole_trial(coordinator, step["trial"]["trial_id"])
    chosen = caller.ngxlab("window", run_id, "--from", "0s", "--to", "1", "--reason", "a backup began")
    assert chosen.returncode == 0, chosen.stderr
    assert "The measured window was chosen after the run" in " ".join(chosen.stdout.split())
    refused = caller.ngxlab("window", run_id, "--from=-5s", "--to", "1s")
    assert refused.returncode == 4
    assert "The load lasted from -1 s to 2 s" in refused.stderr
    assert caller.ngxlab("window", run_id, "--from", "1s").returncode == 4
    restored = caller.ngxlab("window", run_id, "--restore")
    assert "chosen after the run" not in " ".join(restored.stdout.split())
