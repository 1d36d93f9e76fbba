"""``ngxlab compare`` against a real backend."""

import json

from finished_runs import finished_run, next_version
from harness import Backend
from tests.support.caller import Caller

ARMS = ("mutex-on", "mutex-off", "reuseport")


def test_two_runs_are_compared_with_exit_codes_for_ci(lab: Backend, caller: Caller) -> None:
    agent = lab.agent()
    experiment = caller.person.experiment(blocks=3)
    slow, *_ = [
        finished_run(lab, caller.person, agent, experiment["id"], {arm: [base, base + 4, base + 2] for arm in ARMS})[
            "id"
        ]
        for base in (1000.0, 1001.0, 999.0)
    ]
    next_version(caller.person, experiment)
    values = {arm: [1330.0, 1332.0, 1336.0] for arm in ARMS}
    fast = finished_run(lab, caller.person, agent, experiment["id"], values)["id"]
    better = caller.ngxlab("compare", slow, fast)
    assert better.returncode == 0, better.stderr
    assert "n = 3 and 3 trials, unpaired" in " ".join(better.stdout.split())
    assert f"/compare?runs={slow},{fast}" in better.stdout

    worse = caller.ngxlab("compare", fast, slow, "--arm", "reuseport", "--markdown")
    assert worse.returncode == 1, worse.stderr
    assert "**No, fewer**: " in worse.stdout
    assert "| Arm | " in worse.stdout
    assert "Requests per second" in worse.stdout

    same = caller.ngxlab("compare", slow, slow)
    assert same.returncode == 4
    assert "give two runs or more" in same.stderr

    document = caller.ngxlab("compare", slow, fast, "--baseline", f"{slow}:reuseport", "--arm", "reuseport", "--json")
    read = json.loads(document.stdout)
    assert (read["exit_code"], read["outcome"]) == (0, "pass")
    assert [arm["key"] for arm in read["analysis"]["arms"]] == [f"{slow}:reuseport", f"{fast}:reuseport"]
