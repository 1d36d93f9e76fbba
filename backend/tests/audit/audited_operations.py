"""Each operation that changes something, with how to call it and the act it must enter."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from accounts.device import Device
from audit.world import World
from exports.archives import import_as_other
from harness import Person, inventory
from ngxlab.audit.acts import Act
from ngxlab.core.clock import utcnow
from ngxlab.core.rehearsal import Rehearsal
from ngxlab_contracts.hosts import HostCaps
from sqlalchemy import insert


def _finish_early(world: World) -> None:
    agent = world.backend.agent()
    run_id = world.person.run(agent, blocks=2)["id"]
    agent.prepare(world.coordinator.begin(run_id))
    world.post(f"/runs/{run_id}/finish")


def _completed(world: World) -> str:
    """A run that may go on."""
    agent = world.backend.agent()
    run_id: str = world.person.run(agent)["id"]
    world.coordinator.lease(run_id).raise_for_status()
    while (step := world.coordinator.next(run_id))["kind"] == "trial":
        agent.whole_trial(world.coordinator, step["trial"]["trial_id"])
    return run_id


def _add_blocks(world: World) -> None:
    world.post(f"/runs/{_completed(world)}/blocks", blocks=9)


def _profile(world: World) -> None:
    world.post(f"/runs/{_completed(world)}/profile", trials=1)


def _add_passkey(person: Person) -> str:
    """The path of a new one."""
    body = {"password": person.password}
    options = person.client.post("/auth/passkeys/registration", json=body).raise_for_status().json()["options"]
    made = Device(origin="http://localhost:8400", host="localhost").make(options)
    return f"/auth/passkeys/{person.client.post('/auth/passkeys', json=made).raise_for_status().json()['id']}"


def _add_and_remove_passkey(world: World) -> None:
    world.delete(_add_passkey(world.person))


def _remove_their_passkeys(world: World) -> None:
    other = world.other()
    _add_passkey(other.person)
    world.delete(f"{other.path}/passkeys")


def _new_token(person: Person) -> Any:
    return person.client.post("/auth/tokens", json={"name": "short-lived", "scope": "read"}).raise_for_status().json()


def _other_session(world: World, path: str) -> str:
    """A session of this list that is not the administrator's own of now."""
    found = world.client.get(path).raise_for_status().json()["items"]
    return str(next(one["id"] for one in found if not one["is_current"]))


@dataclass(frozen=True)
class Audited:
    act: Act
    call: Callable[[World], object]


def _end_rehearsal(world: World) -> None:
    world.backend.operator(lambda session: session.execute(insert(Rehearsal).values(backup_of=utcnow())))
    world.delete("/rehearsal")


def _sign_in(world: World) -> None:
    body = {"email": world.person.email, "password": world.person.password}
    world.backend.client().post("/auth/login", json=body).raise_for_status()


def _sign_out(world: World) -> None:
    client = world.backend.client()
    body = {"email": world.person.email, "password": world.person.password}
    client.headers["X-CSRF-Token"] = client.post("/auth/login", json=body).json()["csrf_token"]
    client.post("/auth/logout").raise_for_status()


def _change_password(world: World) -> None:
    new = world.person.password + "!"
    answer = world.post("/auth/password", current_password=world.person.password, new_password=new)
    world.person.password = new
    world.client.headers["X-CSRF-Token"] = answer["csrf_token"]


def _revoke_token(world: World) -> None:
    world.delete(f"/auth/tokens/{_new_token(world.person)['id']}")


def _end_session(world: World) -> None:
    _sign_in(world)
    world.delete(f"/auth/sessions/{_other_session(world, '/auth/sessions')}")


def _change_account(world: World) -> None:
    world.client.patch(world.other().path, json={"role": "experimenter"}).raise_for_status()


def _reset_password(world: World) -> None:
    world.post(f"{world.other().path}/one-time-password")


def _end_their_session(world: World) -> None:
    path = f"{world.other().path}/sessions"
    world.delete(f"{path}/{_other_session(world, path)}")


def _revoke_their_token(world: World) -> None:
    other = world.other()
    world.delete(f"{other.path}/tokens/{_new_token(other.person)['id']}")


def _permit_link(world: World) -> None:
    world.client.put(f"{world.other().path}/link-permit", json={"allowed": True}).raise_for_status()


def _renew_credential(world: World) -> None:
    world.post(f"/hosts/{world.backend.agent().host_id}/renew-credential")


def _remove_host(world: World) -> None:
    world.client.delete(f"/hosts/{world.backend.agent().host_id}").raise_for_status()


def _delete_history(world: World) -> None:
    host = f"/hosts/{world.backend.agent().host_id}"
    name = world.client.get(host).json()["name"]
    world.client.delete(f"{host}/history", params={"name": name}).raise_for_status()


def _enrol(world: World) -> None:
    world.backend.agent()


def _new_caps(world: World) -> None:
    caps = HostCaps(max_connections=1_000_000)
    world.agent.beat(inventory=inventory(caps=caps)).raise_for_status()


def _save(world: World) -> None:
    made = world.person.experiment()
    definition = made["definition"] | {"question": "Is this another question?"}
    body = {"definition": definition, "base_version": made["version"]}
    world.client.put(f"/experiments/{made['id']}/definition", json=body).raise_for_status()


def _import(world: World) -> None:
    made = world.person.experiment()
    text = world.client.get(f"/experiments/{made['id']}/versions/1.yaml").text
    headers = {"Content-Type": "text/yaml"}
    world.client.post("/experiments/import", content=text, headers=headers).raise_for_status()


def _rename(world: World) -> None:
    path = f"/experiments/{world.person.experiment()['id']}"
    world.client.patch(path, json={"archived": True}).raise_for_status()


def _skip(world: World) -> None:
    trial = world.client.get(f"/runs/{world.run()}").json()["trials"][0]
    world.post(f"/trials/{trial['id']}/skip")


def _resume(world: World) -> None:
    run_id = world.run()
    world.post(f"/runs/{run_id}/pause")
    world.post(f"/runs/{run_id}/resume")


def _delete_run(world: World) -> None:
    run_id = world.run()
    world.post(f"/runs/{run_id}/cancel")
    world.delete(f"/runs/{run_id}")


def _starred(world: World) -> str:
    path = f"/runs/{world.run()}/star"
    world.client.put(path).raise_for_status()
    return path


def _tag(world: World) -> None:
    world.client.patch(f"/runs/{world.run()}/tags", json={"add": ["nightly"]}).raise_for_status()


def _note(world: World) -> str:
    return f"/notes/{world.post(f'/runs/{world.run()}/notes', text='A backup ran.')['id']}"


def _choose_window(world: World) -> None:
    body = {"start_s": 0, "end_s": 1}
    world.client.put(f"/runs/{world.measured_run()['id']}/window", json=body).raise_for_status()


def _choose_trial_window(world: World) -> None:
    body = {"start_s": 0, "end_s": 1, "reason": "a backup began"}
    path = f"/trials/{world.measured_run()['trials'][0]['id']}/window"
    world.client.put(path, json=body).raise_for_status()


def _test_config(world: World) -> None:
    idle = world.backend.agent()
    world.post("/experiments/config-tests", host_id=str(idle.host_id), experiment_id=world.person.experiment()["id"])


def _calibrate(world: World) -> None:
    path = f"/experiments/{world.person.experiment()['id']}/calibrations"
    world.post(path, host_id=str(world.agent.host_id))


def _channel(world: World) -> str:
    made = world.post("/notifications/channels", kind="webhook", url="https://hooks.example.org/secret-part")
    return f"/notifications/channels/{made['id']}"


def _change_channel(world: World) -> None:
    path = _channel(world)
    world.client.patch(path, json={"hosts": False}).raise_for_status()
    world.delete(path)


def _schedule(world: World) -> str:
    timing = {"repeats": "daily", "time": "02:00", "zone": "UTC"}
    path = f"/experiments/{world.person.experiment()['id']}/schedules"
    return f"/schedules/{world.post(path, timing=timing, run={'host_id': str(world.agent.host_id)})['id']}"


def _new_team(world: World) -> str:
    return str(world.post("/teams", name=f"Team {uuid4().hex}")["id"])


AUDITED = {
    "login": Audited(Act.signed_in, _sign_in),
    "logout": Audited(Act.signed_out, _sign_out),
    "change_password": Audited(Act.password_changed, _change_password),
    "end_session": Audited(Act.session_ended, _end_session),
    "end_other_sessions": Audited(Act.sessions_ended, lambda world: world.delete("/auth/sessions")),
    "create_token": Audited(Act.token_created, lambda world: _new_token(world.person)),
    "revoke_token": Audited(Act.token_revoked, _revoke_token),
    "add_passkey": Audited(Act.passkey_added, _add_and_remove_passkey),
    "remove_passkey": Audited(Act.passkey_removed, _add_and_remove_passkey),
    "remove_account_passkeys": Audited(Act.passkey_removed, _remove_their_passkeys),
    "revoke_tokens": Audited(Act.tokens_revoked, lambda world: world.delete("/auth/tokens")),
    "create_account": Audited(
        Act.account_created,
        lambda world: world.post("/accounts", email=f"made-{world.run()}@example.org", role="viewer"),
    ),
    "update_account": Audited(Act.account_changed, _change_account),
    "reset_password": Audited(Act.password_reset, _reset_password),
    "end_account_session": Audited(Act.session_ended, _end_their_session),
    "end_account_sessions": Audited(Act.sessions_ended, lambda world: world.delete(f"{world.other().path}/sessions")),
    "revoke_account_token": Audited(Act.token_revoked, _revoke_their_token),
    "revoke_account_tokens": Audited(Act.tokens_revoked, lambda world: world.delete(f"{world.other().path}/tokens")),
    "permit_link": Audited(Act.link_permitted, _permit_link),
    "create_enrolment_token": Audited(
        Act.enrolment_token_created, lambda world: world.post("/hosts/enrolment-tokens", expires_in_minutes=5)
    ),
    "enrol": Audited(Act.host_enrolled, _enrol),
    "heartbeat": Audited(Act.host_caps_changed, _new_caps),
    "create_team": Audited(Act.team_created, _new_team),
    "change_team": Audited(
        Act.team_changed, lambda world: world.client.patch(f"/teams/{_new_team(world)}", json={"name": uuid4().hex})
    ),
    "remove_team": Audited(Act.team_removed, lambda world: world.delete(f"/teams/{_new_team(world)}")),
    "give_host_to_team": Audited(
        Act.host_team_changed,
        lambda world: world.client.put(f"/hosts/{world.agent.host_id}/team", json={"team_id": None}),
    ),
    "drain_host": Audited(
        Act.host_draining_changed, lambda world: world.post(f"/hosts/{world.agent.host_id}/drain", draining=False)
    ),
    "renew_host_credential": Audited(Act.host_credential_renewed, _renew_credential),
    "delete_host_history": Audited(Act.host_history_deleted, _delete_history),
    "end_rehearsal": Audited(Act.rehearsal_ended, _end_rehearsal),
    "remove_host": Audited(Act.host_removed, _remove_host),
    "leave": Audited(Act.host_removed, lambda world: world.backend.agent().client.delete("/agent/host")),
    "create_experiment": Audited(Act.experiment_created, lambda world: world.person.experiment()),
    "import_experiment": Audited(Act.experiment_created, _import),
    "clone_experiment": Audited(
        Act.experiment_created,
        lambda world: world.post(f"/experiments/{world.person.experiment()['id']}/clone", name="A copy"),
    ),
    "update_experiment": Audited(Act.experiment_changed, _rename),
    "delete_experiment": Audited(
        Act.experiment_deleted, lambda world: world.delete(f"/experiments/{world.person.experiment()['id']}")
    ),
    "save_definition": Audited(Act.experiment_changed, _save),
    "create_config_test": Audited(Act.config_test_started, _test_config),
    "start_calibration": Audited(Act.calibration_started, _calibrate),
    "start_run": Audited(Act.run_started, lambda world: world.run()),
    "pause_run": Audited(Act.run_paused, lambda world: world.post(f"/runs/{world.run()}/pause")),
    "resume_run": Audited(Act.run_resumed, _resume),
    "add_blocks": Audited(Act.blocks_added, _add_blocks),
    "profile_run": Audited(Act.run_profiled, _profile),
    "finish_run": Audited(Act.run_finished_early, _finish_early),
    "cancel_run": Audited(Act.run_cancelled, lambda world: world.post(f"/runs/{world.run()}/cancel")),
    "retry_run": Audited(Act.run_retried, lambda world: world.post(f"/runs/{world.failed_run()}/retry")),
    "import_run": Audited(Act.run_imported, lambda world: import_as_other(world.client, world.measured_run()["id"])),
    "delete_run": Audited(Act.run_deleted, _delete_run),
    "star_run": Audited(Act.run_starred, _starred),
    "unstar_run": Audited(Act.run_unstarred, lambda world: world.delete(_starred(world))),
    "tag_run": Audited(Act.run_tagged, _tag),
    "add_note": Audited(Act.note_added, _note),
    "edit_note": Audited(
        Act.note_edited,
        lambda world: world.client.patch(_note(world), json={"text": "No backup ran."}).raise_for_status(),
    ),
    "delete_note": Audited(Act.note_deleted, lambda world: world.delete(_note(world))),
    "skip_trial": Audited(Act.trial_skipped, _skip),
    "choose_window": Audited(Act.window_chosen, _choose_window),
    "restore_window": Audited(
        Act.window_restored, lambda world: world.delete(f"/runs/{world.measured_run()['id']}/window")
    ),
    "choose_trial_window": Audited(Act.window_chosen, _choose_trial_window),
    "restore_trial_window": Audited(
        Act.window_restored, lambda world: world.delete(f"/trials/{world.measured_run()['trials'][0]['id']}/window")
    ),
    "create_share": Audited(Act.share_created, lambda world: world.share()),
    "create_comparison_share": Audited(
        Act.share_created, lambda world: world.post("/compare/shares", runs=[world.run(), world.run()])
    ),
    "create_trends_share": Audited(
        Act.share_created,
        lambda world: world.post(f"/experiments/{world.measured_run()['experiment_id']}/trends/shares"),
    ),
    "refresh_share": Audited(
        Act.share_refreshed,
        lambda world: world.client.post(f"/shares/{world.share()['id']}/refresh").raise_for_status(),
    ),
    "revoke_share": Audited(
        Act.share_revoked, lambda world: world.client.delete(f"/shares/{world.share()['id']}").raise_for_status()
    ),
    "create_channel": Audited(Act.channel_created, lambda world: world.delete(_channel(world))),
    "update_channel": Audited(Act.channel_changed, _change_channel),
    "remove_channel": Audited(Act.channel_removed, lambda world: world.delete(_channel(world))),
    "create_schedule": Audited(Act.schedule_created, lambda world: world.delete(_schedule(world))),
    "update_schedule": Audited(
        Act.schedule_changed,
        lambda world: world.client.patch(_schedule(world), json={"paused": True}).raise_for_status(),
    ),
    "remove_schedule": Audited(Act.schedule_removed, lambda world: world.delete(_schedule(world))),
}
