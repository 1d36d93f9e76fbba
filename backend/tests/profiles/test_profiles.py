"""Trials that profile a run's arms: when they follow, what they show, and that no verdict knows them."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
import pytest
from harness import T0_US, Agent, Backend, Coordinator, Person, english, identity, inventory
from ngxlab.accounts.models import Role
from ngxlab.analysis.profiles import MOST_STACKS, ArmProfile, Frame, TrialProfile
from ngxlab.metrics import repository as metrics
from ngxlab.metrics.damage import Damage
from ngxlab.runs import patience
from ngxlab_contracts.hosts import HostCaps
from ngxlab_contracts.profiles import MOST_FRAMES, KernelCounts, Profile
from ngxlab_contracts.telemetry import Event
from services import wait_until
from serving import fronted
from sqlalchemy.ext.asyncio import AsyncSession

MAIN, SEND = "main", "tcp_sendmsg"


def profile(samples: Mapping[str, int]) -> Profile:
    """Each function is called by ``main``; ``tcp_sendmsg`` is the kernel's. By the window of the harness: 2 s."""
    names = [MAIN, *samples]
    return Profile(
        t_us=T0_US + 3_000_000, hz=100, seconds=2, unwinding="dwarf", kernel=True, lost=0,
        unresolved=samples.get("[nginx]", 0),
        frames=names, modules=["kernel" if name == SEND else "nginx" for name in names],
        parents=[-1, *(0 for _ in samples)], calls=list(range(len(names))), samples=[0, *samples.values()],
    )  # fmt: skip


def profiled(agent: Agent, coordinator: Coordinator, trial_id: str, told: Profile | None) -> None:
    """A whole trial that reports a profile."""
    agent.beat()
    agent.prepare(trial_id)
    coordinator.start(trial_id).raise_for_status()
    agent.measure(trial_id)
    agent.send(trial_id, 6, events=[told] if told is not None else []).raise_for_status()
    agent.end(trial_id, seq=7)


class Lab:
    """A run of two blocks of an experiment with two arms or more, whose profiles are made up."""

    def __init__(self, backend: Backend, *, plan: Any = None, stop: Any = None) -> None:
        self.person, self.agent, self.coordinator = backend.person(), backend.agent(), backend.coordinator()
        made = self.person.experiment(blocks=2)
        if plan is not None or stop is not None:
            definition = made["definition"] | {"profile": plan}
            definition["plan"]["stop"] = stop or definition["plan"]["stop"]
            body = {"base_version": made["version"], "definition": definition}
            self.person.client.put(f"/experiments/{made['id']}/definition", json=body).raise_for_status()
        self.agent.beat()
        body = {"host_id": str(self.agent.host_id), "seed": 1}
        self.run = self.person.client.post(f"/experiments/{made['id']}/runs", json=body).raise_for_status().json()
        self.path = f"/runs/{self.run['id']}"
        self.arms: list[str] = [arm["key"] for arm in self.run["arms"]]

    @property
    def detail(self) -> dict[str, Any]:
        found: dict[str, Any] = self.person.client.get(self.path).raise_for_status().json()
        return found

    def get(self, path: str) -> Any:
        return self.person.client.get(f"{self.path}/profiles{path}")

    def ask(self, trials: int, person: Person | None = None) -> Any:
        return (person or self.person).client.post(f"{self.path}/profile", json={"trials": trials})

    def possible(self, person: Person | None = None) -> str | None:
        """Why they cannot be asked for."""
        found = (person or self.person).client.get(f"{self.path}/profile").raise_for_status().json()["reason"]
        return english(found) if found is not None else None

    def finish(self, samples: Mapping[str, Mapping[str, int] | None] | None = None) -> str:
        """Measure what is left; profiles of an arm show its samples. The final state."""
        for _ in range(100):
            self.agent.beat()  # a host that is silent for some seconds gets no further trial
            self.coordinator.lease(self.run["id"]).raise_for_status()
            step = self.coordinator.next(self.run["id"])
            if step["kind"] == "finished":
                break
            if step["kind"] == "trial":
                self._measure(step["trial"]["trial_id"], samples or {})
        assert step["kind"] == "finished", self.detail["progress"]
        state: str = step["run_state"]
        return state

    def _measure(self, trial_id: str, samples: Mapping[str, Mapping[str, int] | None]) -> None:
        spec = self.agent.claim(trial_id).raise_for_status().json()
        if spec.get("profile") is None:
            self.agent.whole_trial(self.coordinator, trial_id)
            return
        told = samples.get(spec["arm"], {"work": 50})
        profiled(self.agent, self.coordinator, trial_id, profile(told) if told is not None else None)

    @property
    def profiles(self) -> list[dict[str, Any]]:
        return [trial for trial in self.detail["trials"] if trial["profile"]]


def test_a_plan_with_profiles_has_them_after_all_blocks_and_its_verdict_is_that_of_one_without(
    backend: Backend,
) -> None:
    plain, lab = Lab(backend), Lab(backend, plan=True)
    assert plain.finish() == lab.finish() == "completed"
    assert [trial["state"] for trial in lab.profiles] == ["completed"] * 2 * len(lab.arms)
    assert sorted(trial["arm"] for trial in lab.profiles) == sorted(lab.arms * 2)
    counted = [trial for trial in lab.detail["trials"] if not trial["profile"]]
    assert max(trial["position"] for trial in counted) < min(trial["position"] for trial in lab.profiles)
    assert max(trial["finished_at"] for trial in counted) < min(trial["started_at"] for trial in lab.profiles)
    reports = [one.person.client.get(f"{one.path}/report").raise_for_status().json() for one in (plain, lab)]
    assert english(reports[0]["analysis"]["headline"]) == english(reports[1]["analysis"]["headline"])
    assert reports[1]["why"] == []  # nothing is decided
    assert len(reports[1]["trials"]) == len(reports[0]["trials"]) == 2 * len(lab.arms)
    assert not plain.profiles
    assert plain.get("").json() == {"items": [], "next": None}


def test_what_arms_spend_on_a_request(backend: Backend) -> None:
    """2,000 requests in the window of each trial, and a sample stands for 10 ms."""
    lab = Lab(backend, plan={"trials": 2, "hz": 100})
    first, second = lab.arms[:2]
    lab.finish({first: {"work": 60, SEND: 20}, second: {"work": 60, SEND: 20, "deflate": 400, "[nginx]": 0}})
    items = lab.get("").json()["items"]
    assert [item["arm_key"] for item in items] == lab.arms
    assert items[0]["counts"] is None  # as an older agent tells
    assert (items[0]["trials"], items[0]["samples"], items[0]["requests"], items[0]["cpu_s"]) == (2, 160, 4000, 1.6)
    assert items[0]["cpu_us_per_request"] == pytest.approx(400)
    whole = lab.get(f"/{second}").raise_for_status().json()
    stacks = {tuple(whole["frames"][place] for place in stack["frames"]): stack["samples"] for stack in whole["stacks"]}
    assert stacks == {(MAIN, "deflate"): 800, (MAIN, "work"): 120, (MAIN, SEND): 40}
    assert whole["modules"][whole["frames"].index(SEND)] == "kernel"
    folded = lab.get(f"/{second}/folded").raise_for_status()
    assert folded.text == "main;deflate 800\nmain;work 120\nmain;tcp_sendmsg_[k] 40\n"
    packed = lab.get(f"/{second}/pprof").raise_for_status()
    assert (packed.headers["content-type"], packed.content[:2]) == ("application/octet-stream", b"\x1f\x8b")

    found = lab.get(f"/{second}/difference?against={first}").raise_for_status().json()
    claimed = [(claim["frame"], claim["kind"]) for claim in found["claims"] if claim["claimed"]]
    assert claimed == [("deflate", "self"), (MAIN, "total")]
    (deflate,) = (claim for claim in found["claims"] if claim["frame"] == "deflate")
    assert (deflate["cpu_us_per_request"], deflate["baseline"]) == (pytest.approx(2000), 0)
    assert deflate["low"] < deflate["difference"] < deflate["high"]
    assert english(found["sentence"]).endswith(": +2,000.0 µs of CPU time a request, 100 % of it in deflate.")
    back = lab.get(f"/{first}/difference?against={second}").json()
    assert {(c["frame"], c["kind"], -c["difference"]) for c in back["claims"]} == {
        (c["frame"], c["kind"], c["difference"]) for c in found["claims"]
    }


def test_what_the_kernel_counted_is_told_a_request_where_all_trials_tell_it() -> None:
    counts = KernelCounts(cpu_wait_us=600, waits=40, preemptions=2, migrations=None, minor_faults=0, major_faults=0)
    told = TrialProfile(profile({"work": 10}).model_copy(update={"counts": counts}), 200, None)
    silent = TrialProfile(profile({"work": 10}), 200, None)
    both = ArmProfile([told, told])
    assert [both.per_request(name) for name in ("cpu_wait_us", "waits", "migrations")] == [3, 0.2, None]
    assert ArmProfile([told, silent]).per_request("waits") is None


def test_of_an_arm_the_newest_profiles_are_read_and_one_arm_after_the_other(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = Lab(backend, plan={"trials": 2})
    lab.finish()
    asked: list[list[UUID]] = []
    whole = metrics.profiles

    async def told(session: AsyncSession, trial_ids: Sequence[UUID], damage: Damage) -> dict[UUID, Profile]:
        asked.append(list(trial_ids))
        return await whole(session, trial_ids, damage)

    monkeypatch.setattr(metrics, "profiles", told)
    monkeypatch.setattr("ngxlab.profiles.service._MOST_TRIALS", 1)
    assert [item["trials"] for item in lab.get("").json()["items"]] == [1] * len(lab.arms)
    newest = {trial["arm"]: trial["id"] for trial in lab.profiles}
    assert [[str(one) for one in ids] for ids in asked] == [[newest[arm]] for arm in lab.arms]


class Counted(Damage):
    """Counts the events that it reads."""

    read = 0

    def event(self, stored: Mapping[str, Any]) -> Event | None:
        self.read += 1
        return super().event(stored)


def test_of_a_trial_that_tells_many_profiles_the_newest_is_read(backend: Backend) -> None:
    lab = Lab(backend)
    lab.finish()
    lab.ask(1).raise_for_status()
    trial_id = lab.coordinator.begin(lab.run["id"])
    lab.agent.prepare(trial_id)
    events = [profile({"work": number}) for number in range(1, 6)]
    lab.agent.send(trial_id, 2, events=events).raise_for_status()
    damage = Counted()
    found = backend.operator(lambda session: metrics.profiles(session, [UUID(trial_id)], damage))
    assert {key: sum(told.samples) for key, told in found.items()} == {UUID(trial_id): 5}
    assert damage.read == 1


def test_stacks_of_profiles_that_share_nothing_are_bounded() -> None:
    def told(trial: int, functions: int) -> TrialProfile:
        names = {f"f{trial}-{number}": 2 for number in range(functions)}
        return TrialProfile(profile(names), 100, None)

    arm = ArmProfile([told(trial, MOST_FRAMES - 1) for trial in range(6)])
    assert sum(arm.stacks.values()) == arm.samples == 6 * 2 * (MOST_FRAMES - 1)
    assert len(arm.stacks) <= MOST_STACKS + 1  # what counts for their outermost function
    assert arm.trials[0].by_frame("total")[Frame(MAIN, "nginx")] == 2 * (MOST_FRAMES - 1)


def test_arms_that_are_alike_and_arms_without_profiles(backend: Backend) -> None:
    lab = Lab(backend, plan={"trials": 1})
    first, second, *_ = lab.arms
    lab.finish({second: None})
    assert [item["arm_key"] for item in lab.get("").json()["items"]] == [arm for arm in lab.arms if arm != second]
    assert lab.get(f"/{second}").json()["code"] == "no-profile"
    assert lab.get("/nowhere").json()["code"] == "unknown-arm"
    assert lab.get(f"/{first}/difference?against=nowhere").json()["code"] == "unknown-arm"
    alone = lab.get(f"/{first}/difference?against={first}").raise_for_status().json()
    assert (alone["claims"], alone["sentence"]) == ([], None)  # of one trial, nobody knows how much it scatters


def test_a_completed_run_is_profiled_afterwards_and_says_the_same(backend: Backend) -> None:
    lab = Lab(backend)
    assert lab.ask(2).json()["code"] == "run-queued"
    lab.finish()
    wait_until(lambda: lab.detail["headline"] is not None, "the verdict")
    before = lab.detail
    assert lab.ask(1, backend.person(Role.experimenter)).json()["code"] == "not-owner"
    assert lab.ask(1, backend.person(Role.viewer)).status_code == 403
    assert lab.ask(11).status_code == 422
    for _ in range(2):  # whoever asks again, as an answer was lost, adds nothing
        asked = lab.ask(1).raise_for_status().json()
        assert (asked["state"], len(lab.profiles)) == ("queued", len(lab.arms))
    assert lab.finish() == "completed"
    wait_until(lambda: lab.detail["headline"] is not None, "the verdict again")
    after = lab.detail
    assert (after["headline"], after["plan"], after["flags"]) == (before["headline"], before["plan"], before["flags"])
    assert lab.ask(1).raise_for_status().json()["state"] == "completed"
    assert lab.ask(2).raise_for_status().json()["state"] == "queued"
    assert len(lab.profiles) == 2 * len(lab.arms)


def test_blocks_can_be_added_after_profiles(backend: Backend) -> None:
    lab = Lab(backend, plan=True)
    lab.finish()
    lab.person.client.post(f"{lab.path}/blocks", json={"blocks": 4}).raise_for_status()
    assert lab.finish() == "completed"
    assert len(lab.profiles) == 2 * len(lab.arms)
    assert len(lab.detail["trials"]) == 6 * len(lab.arms)


def test_profiles_of_a_run_that_may_have_more_blocks_measure_none(backend: Backend) -> None:
    """It was ended early, and blocks that were added later were cancelled: its rule would go on."""
    stop = {"kind": "precision", "metric": "requests_per_s", "half_width_percent": 0.01, "max_blocks": 20}
    lab = Lab(backend, stop=stop)
    lab.coordinator.begin(lab.run["id"])
    lab.person.client.post(f"{lab.path}/finish").raise_for_status()
    assert lab.finish() == "completed"
    lab.person.client.post(f"{lab.path}/blocks", json={"blocks": 3}).raise_for_status()
    cancelled = lab.person.client.post(f"{lab.path}/cancel").raise_for_status().json()
    assert (cancelled["state"], cancelled["plan"]["blocks"]) == ("completed", 1)
    lab.ask(1).raise_for_status()
    assert lab.finish() == "completed"
    assert [trial["state"] for trial in lab.profiles] == ["completed"] * len(lab.arms)
    assert (len(lab.detail["trials"]), lab.detail["plan"]["blocks"]) == (2 * len(lab.arms), 1)


def test_a_cancelled_profile_leaves_the_run_completed(backend: Backend) -> None:
    lab = Lab(backend)
    lab.finish()
    lab.ask(2).raise_for_status()
    lab.person.client.post(f"{lab.path}/cancel").raise_for_status()
    assert lab.finish() == "completed"
    assert {trial["state"] for trial in lab.profiles} == {"skipped"}
    lab.ask(1).raise_for_status()
    trial_id = lab.coordinator.begin(lab.run["id"])
    assert lab.person.client.post(f"{lab.path}/finish").json()["code"] == "last-block"
    lab.agent.prepare(trial_id)
    lab.person.client.post(f"{lab.path}/cancel").raise_for_status()
    lab.agent.end(trial_id, 2, outcome="cancelled", code="cancelled")
    assert lab.finish() == "completed"
    assert lab.detail["state"] == "completed"


def test_a_profile_that_fails_fails_nothing_else(backend: Backend) -> None:
    lab = Lab(backend)
    lab.finish()
    lab.ask(1).raise_for_status()
    trial_id = lab.coordinator.begin(lab.run["id"])
    lab.agent.prepare(trial_id)
    lab.agent.end(trial_id, 2, outcome="failed", code="nginx-died")
    assert lab.finish() == "completed"
    assert sorted(trial["state"] for trial in lab.profiles) == ["completed"] * (len(lab.arms) - 1) + ["failed"]
    assert lab.detail["progress"]["trials_done"] == lab.detail["progress"]["trials_total"]
    lab.ask(1).raise_for_status()  # the failed one again
    assert lab.finish() == "completed"
    assert [item["trials"] for item in lab.get("").json()["items"]] == [1] * len(lab.arms)


def test_a_profile_that_is_repeated_is_called_one(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "_PAUSES_S", (600,))
    lab = Lab(backend)
    lab.finish()
    lab.ask(1).raise_for_status()
    trial_id = lab.coordinator.begin(lab.run["id"])
    lab.agent.prepare(trial_id)
    lab.agent.end(trial_id, 2, outcome="failed", code="disk-full")
    assert lab.coordinator.next(lab.run["id"])["kind"] == "wait"
    assert english(lab.detail["state_reason"]).startswith("Waits to repeat a profile (")


def test_a_host_that_cannot_profile_says_why(backend: Backend) -> None:
    lab = Lab(backend)
    lab.finish()
    assert lab.possible() is None
    lab.agent.beat(inventory=inventory(caps=HostCaps(allow_profiles=False))).raise_for_status()
    assert lab.possible() == lab.ask(1).json()["detail"]
    assert lab.ask(1).json()["code"] == "profiles-not-allowed"
    lab.agent.beat(inventory=inventory(capabilities=inventory().capabilities[:-1])).raise_for_status()
    refused = lab.ask(1).json()
    assert (refused["code"], "its agent is too old for it" in refused["detail"]) == ("no-profile", True)
    assert lab.possible() == refused["detail"]
    other = backend.person(Role.experimenter)
    assert lab.possible(other) == lab.ask(1, other).json()["detail"]
    assert lab.detail["state"] == "completed"


def test_an_older_agent_is_asked_for_no_profile(backend: Backend) -> None:
    lab = Lab(backend)
    lab.finish()
    lab.agent.beat(agent=identity("2.4")).raise_for_status()
    assert lab.ask(1).json()["code"] == "protocol-skew"


def test_a_link_to_the_report_shows_its_profiles(backend: Backend) -> None:
    lab = Lab(backend, plan=True)
    first, second, *_ = lab.arms
    lab.finish()
    lab.person.client.get(f"{lab.path}/report").raise_for_status()
    share = lab.person.client.post(f"{lab.path}/shares", json={}).raise_for_status().json()
    anyone, token = backend.client(), share["url"].partition("/shared/")[2]
    for path in ("", f"/{first}", f"/{first}/difference?against={second}"):
        shown = anyone.get(f"/shared/{token}/profiles{path}").raise_for_status()
        assert shown.json() == lab.get(path).json()
        assert shown.headers["X-Robots-Tag"] == "noindex"
    assert anyone.get("/shared/nothing/profiles").status_code == 404


def test_a_report_that_is_a_file_has_its_profiles(backend: Backend, tmp_path: Path) -> None:
    page = tmp_path / "offline/report.html"
    page.parent.mkdir()
    page.write_text('<script id="ngxlab-data" type="application/json"></script>')
    (tmp_path / "index.html").write_text("<head></head>")
    lab = Lab(backend, plan=True)
    baseline, other, *_ = lab.arms
    lab.finish()
    with fronted(backend.settings.model_copy(update={"frontend_dir": tmp_path})) as pages:
        share = lab.person.client.post(f"{lab.path}/shares", json={}).raise_for_status().json()
        path = f"/api/v1/shared/{share['url'].rpartition('/')[2]}/exports/report.html"
        text = httpx2.get(pages.url + path, timeout=60).raise_for_status().text
    data = json.loads(text.partition(">")[2].partition("</script>")[0])
    assert data["profiles"] == [lab.get(f"/{arm}").json() for arm in lab.arms]
    found = {(one["arm_key"], one["against"]): one for one in data["profile_differences"]}
    assert len(found) == 2 * (len(lab.arms) - 1)
    assert found[other, baseline] == lab.get(f"/{other}/difference?against={baseline}").json()
    assert found[baseline, other] == lab.get(f"/{baseline}/difference?against={other}").json()
