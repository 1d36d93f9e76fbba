"""An installation that may call this machine, with a mail server, and an impatient jobs service."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

import pytest
import services
from harness import Backend
from notifications.receivers import Hooks, Mailbox, hooks, mailbox
from serving import own_database, serving

IMPATIENT = {
    "ngxlab.notifications.delivery._BACK_OFF": [timedelta(0)] * 2,
    "ngxlab.core.jobs.beat.PERIOD_S": 0.1,
}


@dataclass
class Lab:
    backend: Backend
    hooks: Hooks
    mail: Mailbox


@pytest.fixture(scope="module")
def lab(postgresql_url: str) -> Iterator[Lab]:
    with own_database(postgresql_url) as plain, hooks() as received:
        mail_port = services.free_port()
        settings = plain.model_copy(
            update={
                "webhook_networks": ("127.0.0.0/8",),
                "smtp_host": "127.0.0.1",
                "smtp_port": mail_port,
                "smtp_security": "none",
                "mail_from": "lab@example.org",
            }
        )
        with mailbox(mail_port) as letters, serving(settings, jobs=IMPATIENT) as backend:
            yield Lab(backend, received, letters)
