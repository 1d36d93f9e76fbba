"""A run that begins with many arms: heats drop them, and the verdict is of fresh blocks of those that are left."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from exports.archives import edited, with_other_ids
from harness import T0_US, Backend, Coordinator, english
from hdrh.histogram import HdrHistogram
from ngxlab.runs import repository
from ngxlab_contracts.telemetry import LatencyInterval
from services import wait_until
from sqlalchemy.ext.asyncio import AsyncSession

RATES = {"off": 1000, "one": 1010, "two": 1300, "three": 900, "four": 1100, "five": 800, "six": 950}
LEFT = {"off", "two", "four"}
HEAT, ALL = 2 * len(RATES), 2 * len(RATES) + 3 * len(LEFT)


def definition(**plan: Any) -> dict[str, Any]:
    levels = [{"key": key, "label": key, "variables": {"level": place}} for place, key in enumerate(RATES)]
    stream = {"key": "clients", "engine": "wrk", "connections": 4}
    of_plan = {"blocks": 3, "warmup_s": 1, "measure_s": 2, "cooldown_s": 0, "selection": {"finalists": 2}}
    return {
        "question": "Which is the best?",
        "factors": [{"key": "level", "label": "Level", "levels": levels}],
        "baseline": "off",
        "nginx": {"workers": 1, "worker_connections": 64, "server": "keepalive_requests {{ level + 100 }};"},
        "streams": [stream],
        "plan": of_plan | plan,
    }


def interval(rate: int) -> LatencyInterval:
    """All responses of a trial's window."""
    made, count = HdrHistogram(1, 60_000_000, 3), 2 * rate
    made.record_value(1_000, count)
    text: bytes = made.encode()
    return LatencyInterval(
        stream="clients", t0_us=T0_US + 1_000_000, t1_us=T0_US + 3_000_000, count=count, histogram=text.decode(),
        quantity="latency",
    )  # fmt: skip


class Race:
    """A queued run, and who carries it out."""

    def __init__(self, backend: Backend, **plan: Any) -> None:
        self.backend = backend
        self.person, self.agent, self.coordinator = backend.person(), backend.agent(), backend.coordinator()
        body = {"name": "Best of many", "definition": definition(**plan)}
        self.experiment = self.person.client.post("/experiments", json=body).raise_for_status().json()
        self.agent.beat()
        asked = {"host_id": str(self.agent.host_id), "seed": 1}
        path = f"/experiments/{self.experiment['id']}/runs"
        self.id: str = self.person.client.post(path, json=asked).raise_for_status().json()["id"]

    @property
    def run(self) -> dict[str, Any]:
        found: dict[str, Any] = self.person.client.get(f"/runs/{self.id}").raise_for_status().json()
        return found

    @property
    def report(self) -> dict[str, Any]:
        found: dict[str, Any] = self.person.client.get(f"/runs/{self.id}/report").raise_for_status().json()
        return found

    def measure(self, trials: int) -> None:
        for _ in range(trials):
            trial_id = self.next_trial()
            arm = next(one["arm"] for one in self.run["trials"] if one["id"] == trial_id)
            self.agent.whole_trial(self.coordinator, trial_id, RATES[arm], intervals=[interval(RATES[arm])])

    def skip(self, chosen: Callable[[dict[str, Any]], bool]) -> None:
        for trial in filter(chosen, self.run["trials"]):
            self.person.client.post(f"/trials/{trial['id']}/skip").raise_for_status()

    def export(self, name: str) -> bytes:
        content: bytes = self.person.client.get(f"/runs/{self.id}/exports/{name}").raise_for_status().content
        return content

    def next_trial(self) -> str:
        """The cut waits for results that are still computed."""
        self.coordinator.lease(self.id).raise_for_status()
        self.agent.beat()
        trial_id: str = self.step("trial")["trial"]["trial_id"]
        return trial_id

    def end(self) -> str:
        step = self.step("finished")
        wait_until(lambda: self.run["headline"] is not None, "the verdict")
        state: str = step["run_state"]
        return state

    def step(self, kind: str) -> dict[str, Any]:
        """The next one of this kind."""
        steps: list[dict[str, Any]] = []

        def is_told() -> bool:
            steps.append(self.coordinator.next(self.id))
            return bool(steps[-1]["kind"] == kind)

        wait_until(is_told, f"a step: {kind}")
        return steps[-1]

    def stored_heats(self) -> int:
        async def count(session: AsyncSession) -> int:
            run = await repository.run(session, UUID(self.id))
            assert run is not None
            return len(run.selection)

        found: int = self.backend.operator(count)
        return found


@pytest.fixture(scope="module")
def finished(backend: Backend) -> Race:
    race = Race(backend)
    race.measure(ALL)
    assert race.end() == "completed"
    return race


def test_every_arm_runs_in_the_heat_and_those_that_are_left_in_all_blocks(finished: Race) -> None:
    trials = finished.run["trials"]
    assert [trial["position"] for trial in trials] == list(range(ALL))
    in_heat = [trial for trial in trials if trial["heat"] == 1]
    assert in_heat == trials[:HEAT]
    for block in (1, 2):
        assert {trial["arm"] for trial in in_heat if trial["block"] == block} == set(RATES)
    for block in (1, 2, 3):
        counting = [trial for trial in trials if trial["heat"] is None and trial["block"] == block]
        assert {trial["arm"] for trial in counting} == LEFT
        assert len(counting) == len(LEFT)


def test_dropped_arms_say_when_and_why(finished: Race) -> None:
    arms = {arm["key"]: arm["dropped"] for arm in finished.run["arms"]}
    assert {key for key, dropped in arms.items() if dropped is None} == LEFT
    assert arms["one"]["heat"] == 1
    assert english(arms["one"]["reason"]).startswith("Place 3, at +1 % against the baseline; the first 2 stayed")


def test_the_verdict_is_of_the_blocks_after_the_choice_alone(finished: Race) -> None:
    report = finished.report
    analysis = report["analysis"]
    assert {arm["key"] for arm in analysis["arms"]} == LEFT
    assert {trial["trial"]["heat"] for trial in report["trials"]} == {None}
    assert [(one["trial"]["heat"], one["usable"]) for one in report["heat_trials"]] == [(1, True)] * HEAT
    assert (analysis["blocks_planned"], analysis["blocks_complete"], analysis["procedure"]) == (3, 3, "planned_end")
    assert not analysis["partial"]
    chosen = analysis["selection"]
    assert (chosen["of"], set(chosen["finalists"])) == (6, LEFT - {"off"})
    assert english(chosen["text"]).startswith("2 of 6 arms were chosen by requests/s.")
    assert english(chosen["text"]) in english(analysis["headline"])
    assert finished.run["plan"]["trials"] == ALL


def test_exports_name_who_was_dropped(finished: Race) -> None:
    markdown = finished.export("report.md").decode()
    assert "Heat 1 dropped one. Place 3, at +1 % against the baseline" in markdown
    table = finished.export("data.csv").decode()
    assert len([line for line in table.splitlines() if line.startswith("heats,")]) == len(RATES)


def test_a_log_of_histograms_has_none_of_the_heats(finished: Race) -> None:
    """A tag names the arm and the block, and a heat has blocks of the same numbers."""
    log = finished.export("histograms.hlog").decode()
    tags = [line.partition(",")[0] for line in log.splitlines() if line.startswith("Tag=")]
    assert sorted(tags) == sorted(f"Tag={arm}/{block}/clients/latency" for arm in LEFT for block in (1, 2, 3))


def test_added_blocks_are_of_those_that_are_left(backend: Backend) -> None:
    race = Race(backend, blocks=2)
    race.measure(HEAT + 2 * len(LEFT))
    assert race.end() == "completed"
    added = race.person.client.post(f"/runs/{race.id}/blocks", json={"blocks": 3}).raise_for_status().json()
    new = [trial for trial in added["trials"] if trial["state"] == "pending"]
    assert {trial["arm"] for trial in new} == LEFT
    assert [trial["position"] for trial in new] == list(range(HEAT + 2 * len(LEFT), ALL))
    race.measure(len(new))
    assert race.end() == "completed"


def test_a_choice_is_made_once_whoever_asks_again(backend: Backend) -> None:
    race = Race(backend)
    race.measure(HEAT)
    assert race.run["progress"]["trials_total"] == ALL
    first = race.next_trial()
    chosen = race.run["arms"]
    other = Coordinator(race.coordinator.client, race.coordinator.holder)
    for _ in range(3):
        assert other.next(race.id)["trial"]["trial_id"] == first
    assert (race.stored_heats(), race.run["arms"]) == (1, chosen)
    assert len(race.run["trials"]) == ALL


def test_a_heat_may_have_a_block_without_a_usable_trial(backend: Backend) -> None:
    """The next trials stand behind all of the heat, and what is imported again has the choice too."""
    race = Race(backend)
    race.measure(len(RATES))
    race.skip(lambda trial: trial["block"] == 2)
    race.measure(3 * len(LEFT))
    assert race.end() == "completed"
    trials = race.run["trials"]
    assert [trial["position"] for trial in trials] == list(range(ALL))
    assert {trial["arm"] for trial in trials if trial["heat"] is None} == LEFT
    assert _taken_in(race, race.export("run.zip")).status_code == 201


def test_where_no_arm_is_left_a_retry_measures_nothing_and_says_the_same(backend: Backend) -> None:
    race = Race(backend)
    race.skip(lambda trial: trial["arm"] != "off")
    race.measure(2)
    for _ in range(2):
        assert race.step("finished")["run_state"] == "failed"
        assert english(race.run["state_reason"]) == "No arm beside the baseline had a usable trial in heat 1."
        assert all(arm["dropped"] is None for arm in race.run["arms"])
        race.person.client.post(f"/runs/{race.id}/retry").raise_for_status()
        race.coordinator.lease(race.id).raise_for_status()
    assert race.stored_heats() == 0


def test_a_run_that_chooses_its_arms_is_not_ended_early_but_cancelled(backend: Backend) -> None:
    race = Race(backend)
    race.measure(3)
    refused = race.person.client.post(f"/runs/{race.id}/finish").json()
    assert refused["code"] == "run-is-choosing"
    assert english(race.report["analysis"]["selection"]["text"]).startswith("Arms are being chosen: 6 of 6 are left")
    race.person.client.post(f"/runs/{race.id}/cancel").raise_for_status()
    assert race.end() == "cancelled"
    assert english(race.report["analysis"]["selection"]["text"]).startswith("Arms are being chosen")


def test_another_heat_where_there_are_more_arms_to_drop(backend: Backend) -> None:
    race = Race(backend, selection={"finalists": 1}, blocks=2)
    race.measure(2 * 7)
    race.measure(2 * 4)
    race.next_trial()
    assert race.stored_heats() == 2
    first, second = ({one["arm"] for one in race.run["trials"] if one["heat"] == heat} for heat in (1, 2))
    assert (first, second) == (set(RATES), {"off", "two", "four", "one"})


@pytest.mark.parametrize(
    ("plan", "field"),
    [
        ({"selection": {"finalists": 6}}, "plan.selection.finalists"),
        ({"selection": {"heat_blocks": 1}}, "plan.selection.heat_blocks"),
        ({"primary": ["iowait_percent"]}, "plan.primary.0"),
    ],
)
def test_what_cannot_be_chosen_is_refused(backend: Backend, plan: dict[str, Any], field: str) -> None:
    refused = backend.person().client.post("/experiments", json={"name": "None", "definition": definition(**plan)})
    assert refused.status_code == 422, refused.text
    assert field in {problem["field"] for problem in refused.json()["errors"]}


def test_a_preview_says_what_is_spared(backend: Backend) -> None:
    asked = {"definition": definition()}
    found = backend.person().client.post("/experiments/preview", json=asked).raise_for_status().json()
    plan = found["plan"]
    assert (plan["trials"], plan["heat_trials"], plan["block_arms"], plan["full_trials"]) == (ALL, HEAT, 3, 21)


def _taken_in(race: Race, archive: bytes) -> Any:
    headers = {"Content-Type": "application/zip"}
    return race.person.client.post("/runs/import", content=with_other_ids(archive), headers=headers)


def test_an_archive_has_the_choice(finished: Race) -> None:
    archive = finished.export("run.zip")
    imported = _taken_in(finished, archive)
    assert imported.status_code == 201, imported.text
    there = finished.person.client.get(f"/runs/{imported.json()['id']}/report").raise_for_status().json()
    assert there["analysis"]["selection"] == finished.report["analysis"]["selection"]

    def shorter(run: dict[str, Any]) -> dict[str, Any]:
        run["selection"][0]["arms"][0]["values"] = [1.0]
        return run

    refused = _taken_in(finished, edited(archive, "run.json", shorter))
    assert "Heat 1 has other values than blocks" in refused.text
