"""Where the time of requests goes, from profiles whose phases are made up."""

from collections.abc import Mapping

import pytest
from harness import T0_US, Backend, english, identity
from ngxlab.analysis.phases import ArmPhases, accounts_for, compare
from ngxlab_contracts.profiles import PhaseName, Phases, PhaseTimes
from ngxlab_policy.document import Surroundings, problems
from pydantic import ValidationError

BASE: Mapping[PhaseName, int] = {"open": 0, "read": 0, "connect": 1, "first_byte": 20, "body": 2, "write": 3}
REQUESTS = 1_000


def times(ms: int, more: int = 0) -> PhaseTimes:
    """Of requests that all take so long, but for one that takes ``more``."""
    found = {ms: REQUESTS - 1, ms + more: 1} if more else {ms: REQUESTS}
    return PhaseTimes(sum_ms=REQUESTS * ms + more, ms=list(found), counts=list(found.values()))


def phases(changes: Mapping[PhaseName, int] | None = None, more: int = 0) -> Phases:
    each = {**BASE, **(changes or {})}
    return Phases(
        t_us=T0_US + 3_000_000, seconds=2, requests=REQUESTS, whole=times(sum(each.values()), more),
        phases={name: times(ms, more if name == "write" else 0) for name, ms in each.items()},
    )  # fmt: skip


def arm(changes: Mapping[PhaseName, int] | None = None) -> ArmPhases:
    return ArmPhases([phases(changes), phases(changes, more=40)])


def test_a_difference_is_in_the_phase_that_accounts_for_it() -> None:
    late, base = arm({"first_byte": 40}), arm()
    found = compare(late, base)
    assert found["first_byte"].claimed
    assert found["first_byte"].low <= 20 <= found["first_byte"].high
    assert not found["write"].claimed
    share = accounts_for(late, base)
    assert share is not None
    assert share.part == "first_byte"
    assert share.share == pytest.approx(1)
    assert 0.5 <= share.bounds.low <= 1 <= share.bounds.high
    assert accounts_for(base, arm()) is None
    assert accounts_for(arm({"first_byte": 30, "write": 13}), base) is None


def test_requests_that_nginx_did_not_log_are_counted() -> None:
    told = arm().trials
    assert ArmPhases(told).unlogged_percent is None
    assert ArmPhases(told, 2 * REQUESTS / 0.75).unlogged_percent == pytest.approx(25)
    assert ArmPhases(told, 2 * REQUESTS - 3).unlogged_percent == 0


def test_means_of_phases_add_up() -> None:
    one = arm({"body": 9})
    *parts, whole = one.parts
    assert sum(one.mean_ms(part) for part in parts) == pytest.approx(one.mean_ms(whole))
    assert (one.percentile_ms("body", 0.99), one.percentile_ms(whole, 0.5)) == (9, 33)


def test_of_one_trial_nothing_is_said() -> None:
    assert compare(ArmPhases([phases()]), arm()) == {}


def test_phases_that_do_not_add_up_are_refused() -> None:
    told = phases().model_dump()
    told["whole"]["sum_ms"] += 1
    with pytest.raises(ValidationError, match="do not add up"):
        Phases.model_validate(told)
    told = phases().model_dump()
    told["requests"] += 1
    with pytest.raises(ValidationError, match="each request once"):
        Phases.model_validate(told)
    told = phases().model_dump() | {"phases": {}}
    with pytest.raises(ValidationError, match="no phase"):
        Phases.model_validate(told)


def test_an_agent_from_before_phases_profiles_without(backend: Backend) -> None:
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    made = person.experiment(blocks=1)
    body = {"base_version": made["version"], "definition": made["definition"] | {"profile": True}}
    person.client.put(f"/experiments/{made['id']}/definition", json=body).raise_for_status()
    older = identity("2.5")
    agent.beat(agent=older)
    body = {"host_id": str(agent.host_id), "seed": 1}
    run = person.client.post(f"/experiments/{made['id']}/runs", json=body).raise_for_status().json()
    coordinator.lease(run["id"]).raise_for_status()
    profiled = 0
    while (step := coordinator.next(run["id"]))["kind"] == "trial":
        trial_id = step["trial"]["trial_id"]
        spec = agent.claim(trial_id).raise_for_status().json()
        assert not spec["nginx"].get("phases")
        assert "phases.log" not in spec["nginx"]["config"]
        profiled += spec.get("profile") is not None
        agent.whole_trial(coordinator, trial_id)
        agent.beat(agent=older)
    assert profiled >= 2


def test_phases_of_a_run(backend: Backend) -> None:
    """The second arm waits 20 ms longer; what nginx is told passes the agent's list."""
    person, agent, coordinator = backend.person(), backend.agent(), backend.coordinator()
    made = person.experiment(blocks=1)
    body = {"base_version": made["version"], "definition": made["definition"] | {"profile": True}}
    person.client.put(f"/experiments/{made['id']}/definition", json=body).raise_for_status()
    agent.beat()
    body = {"host_id": str(agent.host_id), "seed": 1}
    run = person.client.post(f"/experiments/{made['id']}/runs", json=body).raise_for_status().json()
    first, second, *_ = (one["key"] for one in run["arms"])
    told = {first: [phases(), phases(more=40)], second: [phases({"first_byte": 40}, more) for more in (0, 40)]}
    coordinator.lease(run["id"]).raise_for_status()
    while (step := coordinator.next(run["id"]))["kind"] == "trial":
        agent.beat()
        trial_id = step["trial"]["trial_id"]
        spec = agent.claim(trial_id).raise_for_status().json()
        if not spec["nginx"].get("phases"):
            assert "phases.log" not in spec["nginx"]["config"]
            agent.whole_trial(coordinator, trial_id)
            continue
        assert problems(spec["nginx"]["config"], Surroundings()) == []
        events = [told[spec["arm"]].pop()] if spec["arm"] in told else []
        agent.prepare(trial_id)
        coordinator.start(trial_id).raise_for_status()
        agent.measure(trial_id)
        agent.send(trial_id, 6, events=events).raise_for_status()
        agent.end(trial_id, seq=7)
    path = f"/runs/{run['id']}/phases"
    items = person.client.get(path, params={"against": first}).raise_for_status().json()["items"]
    assert [(one["arm_key"], one["against"], one["trials"]) for one in items] == [(first, None, 2), (second, first, 2)]
    assert items[0]["sentence"] is None
    assert english(items[1]["sentence"]).endswith(" at least) in waiting for the upstream server’s first byte.")
    waits = next(one for one in items[1]["phases"] if one["phase"] == "first_byte")
    assert (waits["mean_ms"], waits["difference_ms"], waits["claimed"]) == (40, 20, True)
    assert person.client.get(path, params={"against": "nowhere"}).json()["code"] == "unknown-arm"
