"""An installation that may call this machine, with a mail server, and impatient loops."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

import pytest
import services
from harness import Backend
from ngxlab.notifications import delivery
from notifications.receivers import Hooks, Mailbox, hooks, mailbox
from serving import own_database, serving


@dataclass
class Lab:
    backend: Backend
    hooks: Hooks
    mail: Mailbox


@pytest.fixture(scope="module")
def lab(postgresql_url: str) -> Iterator[Lab]:
    with pytest.MonkeyPatch.context() as patch, own_database(postgresql_url) as plain, hooks() as received:
        patch.setattr(delivery, "PERIOD_S", 0.1)
        patch.setattr(delivery, "_BACK_OFF", [timedelta(0)] * 2)
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
        with mailbox(mail_port) as letters, serving(settings) as backend:
            yield Lab(backend, received, letters)
