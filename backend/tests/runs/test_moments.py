"""What is told of a moment of a trial, as stored: the perturbation, the log line and the note that happened then."""

from harness import T0_US, Backend
from ngxlab.accounts.models import Role
from ngxlab_contracts.telemetry import ActionEvent, Artefact, NoteEvent

WINDOW_US = T0_US + 1_000_000
"""The harness's measured window begins; it lasts two seconds."""


def action(number: int, t_s: float, took_s: float) -> ActionEvent:
    t_us = WINDOW_US + round(t_s * 1e6)
    return ActionEvent(
        t_us=t_us, ended_us=t_us + round(took_s * 1e6), perturbation="stop", number=number, action="signal", ok=True
    )


def test_a_moment_leads_to_what_happened_then_and_to_nothing_else(backend: Backend) -> None:
    person, agent, coordinator = backend.person(Role.experimenter), backend.agent(), backend.coordinator()
    agent.beat()
    body = {"host_id": str(agent.host_id), "seed": 1}
    run = person.client.post(f"/experiments/{person.experiment()['id']}/runs", json=body).raise_for_status().json()
    agent.beat()  # making an experiment may take some seconds, and a silent host gets no trial
    trial = coordinator.begin(run["id"])
    told = [
        action(1, 0.25, 0.1),
        action(2, 1.75, 0.1),
        NoteEvent(t_us=WINDOW_US + 300_000, severity="warning", code="late", message="A reading was late."),
        Artefact(t_us=T0_US, name="error.log", text="no time\n2000/99/99 00:00:00 [warn] x\n"),
    ]
    agent.whole_trial(coordinator, trial, events=told)

    viewer = backend.person(Role.viewer).client
    found = viewer.get(f"/trials/{trial}/moment", params={"at": 0.3, "within": 0.2}).raise_for_status().json()
    assert [(one["perturbation"], one["number"], one["t_s"]) for one in found["actions"]] == [("stop", 1, 0.25)]
    assert [(one["kind"], one["t_s"], one["text"]) for one in found["events"]] == [("note", 0.3, "A reading was late.")]
    assert found["jumps"] == [], "three readings do not say what is usual"
    later = viewer.get(f"/trials/{trial}/moment", params={"at": 1.6, "within": 0.2}).raise_for_status().json()
    assert [one["number"] for one in later["actions"]] == [2]
    assert later["events"] == []
    assert later["unknown"] == []

    assert backend.client().get(f"/trials/{trial}/moment", params={"at": 0.3}).status_code == 401
    for wrong in ({}, {"at": "nan"}, {"at": 1, "within": 61}):
        assert viewer.get(f"/trials/{trial}/moment", params=wrong).status_code == 422
