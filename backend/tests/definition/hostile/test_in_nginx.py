"""What stops each hostile configuration beside the backend's allow-list: the agent's, the sandbox, or nginx itself."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from definition.hostile import outcomes, outcomes_of_performance
from definition.hostile.corpus import ALL
from definition.hostile.stops import Stop

TESTS = Path(__file__).parents[2]
APART = ("unshare", "--net", "--mount", "--propagation", "private")
EXPECTED = {
    text: pair
    for stops in (outcomes.STOPS, outcomes_of_performance.STOPS)
    for pair, texts in stops.items()
    for text in texts
}
Judgement = tuple[bool, tuple[str, str], tuple[str, str]]


@pytest.fixture(scope="module")
def judged() -> dict[str, Judgement]:
    """For each text: whether the agent refuses it, and what stopped it (and why) with namespaces and without."""
    if os.geteuid() != 0 or subprocess.run([*APART, "true"], check=False).returncode != 0:
        pytest.skip("only root may make a network and file systems that nothing hostile gets out of")
    command = [*APART, sys.executable, "-m", "definition.hostile.judge"]
    environment = os.environ | {"PYTHONPATH": f"{TESTS.parents[1]}:{TESTS}"}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    return dict(zip((text for _, text, _ in ALL), zip(*json.loads(done.stdout), strict=True), strict=True))


def test_all_are_judged() -> None:
    assert set(EXPECTED) == {text for _, text, _ in ALL}


@pytest.mark.parametrize("text", EXPECTED)
def test_each_is_stopped_behind_the_backend(judged: dict[str, Judgement], text: str) -> None:
    by_agent, within, without = judged[text]
    assert (within[0], without[0]) == EXPECTED[text], (within, without)
    assert by_agent or {within[0], without[0]} <= {Stop.NGINX, Stop.AGENT}


def test_namespaces_keep_what_is_not_the_trials(judged: dict[str, Judgement]) -> None:
    """What only the allow-list stops there reaches the trial's own nginx.conf or the network, and no other file."""
    only_list = [within[1] for _, within, _ in judged.values() if within[0] == Stop.LIST]
    assert set(only_list) == {"read b'worker_processes'", "connected elsewhere"}
