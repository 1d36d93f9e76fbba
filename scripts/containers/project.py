"""The compose file as a project of a name, with secrets and certificates of its own."""

import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ngxlab_worker.nginx.ports import free_ports

from scripts.console import Failure, run
from scripts.containers.certificates import Certificates, make
from scripts.paths import ROOT
from scripts.testbed.stack import Stack

FILES = ("docker-compose.yml", "docker/remote-agents.yml")
SECRETS = ("POSTGRES_PASSWORD", "POSTGRES_OWNER_PASSWORD", "POSTGRES_APP_PASSWORD", "REDIS_PASSWORD",
           "NGXLAB_COORDINATOR_TOKEN")  # fmt: skip
BUILT = ("migrate", "coordinator", "agent", "front")
IMAGES = ("ngxlab-backend", "ngxlab-coordinator", "ngxlab-agent", "ngxlab-front")
ADMINISTRATOR = "admin@localhost"
SECOND_ADMINISTRATOR = "containers@example.org"
HEALTHY_WITHIN_S = 600


@dataclass(frozen=True)
class Project:
    name: str
    folder: Path
    address: str
    """Where other hosts reach it: of TLS and of Redis."""
    certificates: Certificates
    environment: Mapping[str, str]

    @property
    def https(self) -> str:
        return f"https://{self.address}:{self.environment['NGXLAB_TLS_PORT']}"

    @property
    def secret_values(self) -> dict[str, str]:
        return {name: self.environment[name] for name in SECRETS}

    def compose(self, *words: str, given: str = "") -> str:
        """``docker compose WORDS``; what it prints. Raises :class:`Failure`."""
        files = [part for file in (*FILES, str(self.folder / "builds.json")) for part in ("--file", file)]
        order = ["docker", "compose", "--project-name", self.name, "--env-file", "/dev/null", *files, *words]
        return run(order, cwd=ROOT, env=os.environ | self.environment, given=given, hint="see the message above")

    def up(self) -> None:
        """As docs/operating.md says: it returns when every service is healthy."""
        try:
            self.compose("up", "--detach", "--wait", "--wait-timeout", str(HEALTHY_WITHIN_S))
        except Failure as failure:
            raise Failure(f"{failure}\n{self.compose('logs', '--tail=20')}", failure.hint) from failure

    def services(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.compose("ps", "--format=json").splitlines()]

    def stack(self) -> Stack:
        """The API, over the front's plain port, with an administrator's token, who is made if there is none."""
        server = ("exec", "-T", "backend", "ngxlab-server")
        self.compose(*server, "create-admin", "--if-none", "--email", ADMINISTRATOR)
        ask = ("api-token", "--email", ADMINISTRATOR, "--name", "containers", "--scope", "administer")
        token = self.compose(*server, *ask).strip()
        (self.folder / "secrets.env").write_text(f"NGXLAB_STACK_TOKEN={token}\n")
        url = f"http://127.0.0.1:{self.environment['NGXLAB_PORT']}"
        return Stack(url, self.folder, {}, ADMINISTRATOR, "")


@contextmanager
def project(name: str, address: str) -> Iterator[Project]:
    """Nothing is started yet; at the end its containers, networks and volumes are removed."""
    folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir="/var/tmp"))
    certificates = make(folder, address)
    port, https, redis = map(str, free_ports(3, "127.0.0.1", address))
    chosen = {one: secrets.token_urlsafe(32) for one in SECRETS} | {
        "COMPOSE_PROFILES": "tls",
        "NGXLAB_ADMIN_EMAIL": SECOND_ADMINISTRATOR,
        "NGXLAB_IMAGE_TAG": "tried",
        "NGXLAB_PORT": port,
        "NGXLAB_TLS_BIND": address,
        "NGXLAB_TLS_PORT": https,
        "NGXLAB_REDIS_BIND": address,
        "NGXLAB_REDIS_TLS_PORT": redis,
        "NGXLAB_PUBLIC_URL": f"https://{address}:{https}",
        "NGXLAB_AGENT_BROKER_URL": f"rediss://{address}:{redis}/0",
        "TLS_CERT": str(certificates.certificate),
        "TLS_KEY": str(certificates.key),
        "REDIS_TLS_CERT": str(certificates.certificate),
        "REDIS_TLS_KEY": str(certificates.key),
        "REDIS_TLS_CA": str(certificates.authority),
    }
    through_the_machine = {service: {"build": {"network": "host"}} for service in BUILT}
    (folder / "builds.json").write_text(json.dumps({"services": through_the_machine}))
    made = Project(name, folder, address, certificates, chosen)
    try:
        yield made
    finally:
        made.compose("down", "--volumes", "--remove-orphans")
        shutil.rmtree(folder)
