"""A restored backup acts on nobody until somebody says that it is the real installation: the original may still run."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx2
import services
from backup.test_backup import elsewhere, server
from harness import Backend, Person
from ngxlab.accounts.models import Role
from ngxlab.core.config import Settings
from ngxlab.outbox.repository import claim_due
from ngxlab.schedules.starting import settle_next
from notifications.receivers import Hooks, hooks
from notifications.test_telling import channel, finished_run, last
from schedules.scheduled import Scheduled, schedule
from serving import own_database, serving

__all__ = ["elsewhere"]


@dataclass(frozen=True)
class Restored:
    """A second installation, from a backup in which a schedule was due and a message pending. ``told``: what the
    webhook's receiver had got before."""

    backend: Backend
    administrator: Person
    plan: Scheduled
    channel_id: str
    receiver: Hooks
    told: int

    def readiness(self) -> dict[str, Any]:
        answer: dict[str, Any] = self.administrator.client.get(f"{self.backend.url}/readyz").json()
        return answer

    def start(self) -> httpx2.Response:
        body = {"host_id": str(self.plan.agent.host_id)}
        return self.administrator.client.post(f"/experiments/{self.plan.experiment_id}/runs", json=body)

    def is_anything_due(self) -> bool:
        def due(session: Any) -> Any:
            return settle_next(session, datetime.now(UTC))

        def pending(session: Any) -> Any:
            return claim_due(session, 10)

        return bool(self.backend.operator(due)) or bool(self.backend.operator(pending))


@contextmanager
def restored(postgresql_url: str, other: Settings, file: Path, *how: str) -> Iterator[Restored]:
    with hooks() as receiver:
        changes = {"webhook_networks": ("127.0.0.0/8",)}
        with (
            own_database(postgresql_url) as settings,
            serving(settings.model_copy(update=changes)) as original,
        ):
            administrator = original.person(Role.administrator)
            plan = schedule(original)
            receiver.answers["/away"] = [500] * 1000
            made = channel(administrator, kind="webhook", url=receiver.url("/away"))
            finished_run(original, administrator)
            services.wait_until(lambda: last(administrator, made["id"]).get("error") is not None, "a first try", 60)
            plan.sql("UPDATE schedule SET next_at = :at WHERE id = :id", at=datetime.now(UTC) + timedelta(seconds=30))
            assert server(original.settings, "backup", str(file)).returncode == 0
        told = len(receiver.at("/away"))
        done = server(other, "restore", *how, str(file))
        assert done.returncode == 0, done.stderr
        with serving(other.model_copy(update=changes)) as backend:
            person = Person(backend.client(), administrator.email, administrator.password)
            person.sign_in()
            here = Scheduled(backend, person, plan.agent, plan.experiment_id, plan.id)
            here.due(timedelta(minutes=5))
            here.sql("UPDATE notification SET next_attempt_at = :at, due_boot = NULL", at=datetime.now(UTC))
            yield Restored(backend, person, here, made["id"], receiver, told)


def test_it_acts_on_nobody_until_it_is_the_real_one(
    postgresql_url: str,
    elsewhere: Settings,
    tmp_path: Path,
) -> None:
    with restored(postgresql_url, elsewhere, tmp_path / "lab.backup") as second:
        assert second.readiness()["rehearsal_of"] is not None
        refused = second.start()
        assert (refused.status_code, refused.json()["code"]) == (409, "rehearsal")
        assert not second.is_anything_due()
        second.administrator.client.delete("/rehearsal").raise_for_status()
        assert second.readiness()["rehearsal_of"] is None
        assert second.administrator.client.delete("/rehearsal").status_code == 404
        services.wait_until(lambda: len(second.receiver.at("/away")) > second.told, "the pending message", 60)
        services.wait_until(lambda: bool(second.plan.now()["latest"]), "the time that was due", 60)


def test_a_viewer_and_a_token_cannot_say_so(
    postgresql_url: str,
    elsewhere: Settings,
    tmp_path: Path,
) -> None:
    with restored(postgresql_url, elsewhere, tmp_path / "lab.backup") as second:
        assert second.backend.person(Role.experimenter).client.delete("/rehearsal").status_code == 403
        assert second.readiness()["rehearsal_of"] is not None
        done = server(elsewhere, "resume")
        assert "now the real installation" in done.stdout, done
        assert second.readiness()["rehearsal_of"] is None
        assert "no rehearsal" in server(elsewhere, "resume").stdout


def test_backups_and_their_proofs_are_known(backend: Backend, tmp_path: Path) -> None:
    administrator, file = backend.person(Role.administrator), tmp_path / "lab.backup"

    def known() -> dict[str, Any]:
        answer: dict[str, Any] = administrator.client.get("/storage").raise_for_status().json()
        return answer

    assert server(backend.settings, "backup-proven", str(file)).returncode == 1
    assert server(backend.settings, "backup", str(file)).returncode == 0
    made = known()["last_backup"]
    assert (made["file"], made["bytes"], made["proven_at"]) == (str(file), file.stat().st_size, None)
    server(backend.settings, "backup-proven", "--trouble", "no room", str(file)).check_returncode()
    assert known()["last_backup"]["trouble"] == "no room"
    assert known()["last_proof"] is None
    server(backend.settings, "backup-proven", str(file)).check_returncode()
    assert known()["last_backup"]["trouble"] is None
    assert known()["last_proof"] == known()["last_backup"]["proven_at"]
