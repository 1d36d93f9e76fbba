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
from scripts.paths import ROOT
from scripts.testbed.stack import Stack

_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
_HINT = "see openssl's message above"
_OF_A_SERVER = """\
basicConstraints=critical,CA:FALSE
extendedKeyUsage=serverAuth
subjectKeyIdentifier=hash
authorityKeyIdentifier=keyid
"""


@dataclass(frozen=True)
class Certificates:
    authority: Path
    certificate: Path
    key: Path


def make(folder: Path, address: str) -> Certificates:
    """Valid for two days, for the IP address ``address``."""
    made = Certificates(folder / "authority.pem", folder / "server.pem", folder / "server.key")
    authority_key, request, extensions = folder / "authority.key", folder / "server.csr", folder / "server.ext"
    run(
        ["openssl", "req", "-x509", *_KEY, "-days", "2", "-subj", "/CN=own authority",
         "-addext", "keyUsage=critical,keyCertSign,cRLSign",  # Python 3.13 asks for it
         "-keyout", authority_key, "-out", made.authority], hint=_HINT,
    )  # fmt: skip
    run(["openssl", "req", *_KEY, "-subj", "/CN=lab", "-keyout", made.key, "-out", request], hint=_HINT)
    extensions.write_text(f"subjectAltName=IP:{address}\n{_OF_A_SERVER}")
    run(
        ["openssl", "x509", "-req", "-in", request, "-CA", made.authority, "-CAkey", authority_key, "-CAcreateserial",
         "-days", "2", "-extfile", extensions, "-out", made.certificate], hint=_HINT,
    )  # fmt: skip
    made.key.chmod(0o644)  # two users of two containers read it; the folder is closed
    return made


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
