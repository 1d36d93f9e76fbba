"""docker-compose.yml, as far as it can be tried without containers: its texts on a real Redis and PostgreSQL."""

import os
import re
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Any

import pytest
import services
import yaml
from ngxlab_contracts.broker import tls_options
from redis import Redis
from redis.exceptions import AuthenticationError, NoPermissionError

from scripts.paths import BIN, ROOT
from scripts.stack import postgres, redis
from scripts.stack.waiting import wait_until

SECRETS = {
    "POSTGRES_PASSWORD": "of-superuser",
    "POSTGRES_OWNER_PASSWORD": "of-owner",
    "POSTGRES_APP_PASSWORD": "of-app",
    "REDIS_PASSWORD": "of-redis",
    "NGXLAB_COORDINATOR_TOKEN": "c" * 32,
}
PARTS_OF_NGXLAB = ("migrate", "backend", "admin", "setup", "jobs", "coordinator", "agent", "front", "tls")


def compose(file: str = "docker-compose.yml", **more: str) -> Any:
    """The file with its variables filled in, as compose does."""
    values = SECRETS | more

    def fill(match: re.Match[str]) -> str:
        name, default = match["name"], match["default"]
        assert name in values or default is not None, f"{name} has no value"
        return values.get(name) or default or ""

    pattern = r"\$\{(?P<name>\w+)(?::-(?P<default>[^}]*))?(?::\?[^}]*)?\}"
    return yaml.safe_load(re.sub(pattern, fill, (ROOT / file).read_text()).replace("$$", "$"))


def environment_of(service: str) -> str:
    return str(compose()["services"][service].get("environment", ""))


def test_only_the_backend_has_its_redis_password_and_nothing_of_ngxlab_the_superusers() -> None:
    assert {name for name in PARTS_OF_NGXLAB if "of-superuser" in environment_of(name)} == set()
    assert {name for name in PARTS_OF_NGXLAB if "of-owner" in environment_of(name)} == {"migrate"}
    assert {name for name in PARTS_OF_NGXLAB if "of-redis" in environment_of(name)} == {
        "migrate",
        "backend",
        "jobs",
        "admin",
        "setup",
    }


@pytest.mark.parametrize("service", ["migrate", "backend"])
def test_what_the_file_leaves_empty_is_unset(service: str) -> None:
    given = {name: str(value or "") for name, value in compose()["services"][service]["environment"].items()}
    asked = "from ngxlab.core.config import Settings as S; s = S(); print(s.oidc_issuer, s.smtp_host, s.cookie_secure)"
    told = subprocess.run([BIN / "python", "-c", asked], env=given, capture_output=True, text=True, check=False)
    assert (told.stdout, told.stderr) == ("None None None\n", "")


def test_every_secret_is_named_in_the_example() -> None:
    required = set(re.findall(r"\$\{(\w+):\?", (ROOT / "docker-compose.yml").read_text()))
    assert required == SECRETS.keys()
    example = (ROOT / ".env.example").read_text()
    assert [name for name in required if f"#{name}=\n" not in example] == []


def test_no_service_prints_a_password_into_its_log() -> None:
    said = {name: str(service.get("command", "")) for name, service in compose()["services"].items()}
    started = {name: text for name, text in said.items() if "profiles" not in compose()["services"][name]}
    assert [name for name, text in started.items() if "create-admin" in text] == []


def own_address() -> str | None:
    """An address of this machine that is not loopback's: who connects to it comes from it, like another container."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # chooses a route and sends nothing
        except OSError:
            return None
        address: str = probe.getsockname()[0]
        return address


@contextmanager
def redis_of(folder: Path, port: int, options: list[str]) -> Iterator[None]:
    """The Redis of the file with its ``options``, but for ``port``."""
    service = compose()["services"]["redis"]
    order = [*service["entrypoint"], *(str(port) if word == "6379" else word for word in options)]
    told = os.environ | service["environment"]
    with subprocess.Popen(order, stdout=subprocess.DEVNULL, cwd=folder, env=told) as server:
        try:
            yield
        finally:
            server.terminate()


def test_redis_starts_unprivileged_and_knows_the_backend_only(tmp_path: Path) -> None:
    service = compose()["services"]["redis"]
    assert service["user"] == "redis"
    port = services.free_port()
    with redis_of(tmp_path, port, service["command"]):
        wait_until(lambda: services.answers(port), "Redis")
        with Redis(port=port) as anyone, pytest.raises(AuthenticationError):
            anyone.ping()
        if (address := own_address()) is not None:
            with Redis(host=address, port=port, username="ngxlab-backend", password="of-redis") as container:
                assert container.ping()
        asked = ["redis-cli", "-p", str(port), *service["healthcheck"]["test"][1].split(" | ")[0].split()[1:]]
        answer = subprocess.run(asked, env=os.environ | service["environment"], capture_output=True, check=True)
        assert answer.stdout == b"PONG\n"
        with Redis(port=port, username="ngxlab-backend", password="of-redis") as backend:
            backend.execute_command("ACL", "SETUSER", "host.1", "on")
            with pytest.raises(NoPermissionError):
                backend.config_get("*")


def test_agents_elsewhere_reach_redis_over_tls(tmp_path: Path) -> None:
    key, made = tmp_path / "key", tmp_path / "cert"
    order = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
             "2", "-subj", "/CN=lab", "-addext", "subjectAltName=IP:127.0.0.1",
             "-keyout", str(key), "-out", str(made)]  # fmt: skip
    subprocess.run(order, check=True, capture_output=True)
    port, plain = services.free_port(), services.free_port()
    more = compose("docker/remote-agents.yml", REDIS_TLS_CERT=str(made), REDIS_TLS_KEY=str(key))
    service, agent = more["services"]["redis"], more["services"]["agent"]
    assert [agent["environment"]["NGXLAB_BROKER_CA"]] == [f"/run/secrets/{name}" for name in agent["secrets"]]
    assert more["secrets"].keys() >= {*agent["secrets"], *service["secrets"]}
    files = {"6380": str(port), "/run/secrets/redis_cert": str(made), "/run/secrets/redis_key": str(key)}
    options = [files.get(word, word) for word in service["command"]]
    assert str(service["ports"][0]).endswith(":6380:6380")
    assert service["command"][:2] == compose()["services"]["redis"]["command"]
    with redis_of(tmp_path, plain, options):
        wait_until(lambda: services.answers(port), "Redis")
        url = f"rediss://ngxlab-backend:of-redis@127.0.0.1:{port}/0"
        with Redis.from_url(url, **tls_options(url, str(made))) as client:
            assert client.ping()


def test_postgres_and_redis_wake_as_seldom_as_those_of_make_up() -> None:
    assert compose()["services"]["postgres"]["command"][1:] == [f"-c{k}={v}" for k, v in postgres.SPARING.items()]
    assert redis.SPARING in compose()["services"]["redis"]["entrypoint"][2].splitlines()


@contextmanager
def superusers_postgres(folder: Path) -> Iterator[dict[str, str]]:
    """A cluster as the image makes it: the superuser is called ngxlab. Yields the environment of a client."""
    with services.postgresql() as url:
        port = url.rpartition(":")[2].partition("/")[0]
        environment = {"PGHOST": "127.0.0.1", "PGPORT": port, "PGUSER": "ngxlab", "PATH": os.environ["PATH"]}
        subprocess.run(["createdb", "ngxlab"], env=environment, check=True)
        yield environment | {"PGDATABASE": "ngxlab", "HOME": str(folder)}


def migrate(environment: dict[str, str], **urls: str) -> None:
    unused = {"REDIS_URL": "redis://127.0.0.1:1/0", "NGXLAB_COORDINATOR_TOKEN": "c" * 32}
    subprocess.run([BIN / "ngxlab-server", "migrate"], env=environment | unused | urls, check=True, capture_output=True)


def test_a_volume_of_an_older_version_gets_the_roles_and_the_backend_only_rows(tmp_path: Path) -> None:
    service = compose()["services"]["roles"]
    with superusers_postgres(tmp_path) as environment:
        address = f"127.0.0.1:{environment['PGPORT']}/ngxlab"
        migrate(environment, DATABASE_URL=f"postgresql://ngxlab@{address}")  # as it was: the superuser's tables
        words = [word.replace("/etc/roles.sql", str(ROOT / "docker/roles.sql")) for word in service["entrypoint"]]
        secrets = {name: service["environment"][name] for name in ("OWNER_PASSWORD", "APP_PASSWORD")}
        for _ in range(2):  # at every start
            subprocess.run(words, env=environment | secrets, check=True)
            urls = {"DATABASE_URL": "ngxlab_app", "NGXLAB_MIGRATION_DATABASE_URL": "ngxlab_owner"}
            migrate(environment, **{name: f"postgresql://{role}@{address}" for name, role in urls.items()})

        def says(role: str, statement: str) -> str:
            order = ["psql", "-X", "-t", "-A", "-c", statement]
            done = subprocess.run(
                order, env=environment | {"PGUSER": role}, capture_output=True, text=True, check=False
            )
            return done.stdout.strip() or done.stderr

        owners = "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'"
        assert says("ngxlab_app", owners) == "ngxlab_owner"
        assert says("ngxlab_app", "SELECT count(*) FROM run") == "0"
        for statement in ("DROP TABLE run", "CREATE TABLE another (id int)", "CREATE ROLE another"):
            assert "permission denied" in says("ngxlab_app", statement) or "must be" in says("ngxlab_app", statement)
        passwords = "SELECT count(*) FROM pg_authid WHERE rolname LIKE 'ngxlab\\_%' AND rolpassword LIKE 'SCRAM%'"
        assert says("ngxlab", passwords) == "2"


@pytest.mark.parametrize(
    ("service", "variable"), [("agent", "NGXLAB_AGENT_DIR"), ("coordinator", "NGXLAB_HEARTBEAT_FILE")]
)
def test_the_health_of_a_worker_is_its_own_last_heartbeat(tmp_path: Path, service: str, variable: str) -> None:
    order = compose()["services"][service]["healthcheck"]["test"][-1]
    beat = tmp_path / "heartbeat"
    told = os.environ | {variable: str(tmp_path if variable.endswith("DIR") else beat)}

    def healthy() -> bool:
        return subprocess.run(["sh", "-c", order], env=told, capture_output=True, check=False).returncode == 0

    assert not healthy()
    beat.touch()
    assert healthy()
    os.utime(beat, (1, 1))
    assert not healthy()


def test_the_profile_serves_the_product_over_https() -> None:
    file = compose(TLS_CERT="/c", TLS_KEY="/k")
    tls, front = file["services"]["tls"], file["services"]["front"]
    assert tls["profiles"] == ["tls"]
    assert (tls["image"], tls["healthcheck"]) == (front["image"], front["healthcheck"])
    assert tls["ports"] == ["0.0.0.0:443:8443"]
    assert tls["command"][-1].endswith("exec nginx -e stderr -c /etc/nginx/tls.conf\n")
    configuration = (ROOT / "docker" / "front.Dockerfile").read_text()
    assert re.findall(r"=/run/secrets/(\w+)", configuration) == tls["secrets"]
    assert "NGXLAB_TLS_PORT=8443" in configuration
    assert {name: secret["file"] for name, secret in file["secrets"].items()} == {"tls_cert": "/c", "tls_key": "/k"}


def test_without_a_certificate_it_says_what_to_set(tmp_path: Path) -> None:
    file = compose()
    assert {secret["file"] for secret in file["secrets"].values()} == {"/dev/null"}
    order = [word.replace("/run/secrets", str(tmp_path)) for word in file["services"]["tls"]["command"]]
    (tmp_path / "tls_cert").write_text("a certificate")
    (tmp_path / "tls_key").symlink_to("/dev/null")
    done = subprocess.run(order, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"{tmp_path}/tls_key is empty or unreadable: set TLS_CERT and TLS_KEY in .env")


@pytest.mark.parametrize("service", ["front", "tls"])
def test_no_other_container_is_given_the_address_of_a_trusted_proxy(service: str) -> None:
    file = compose()
    address = IPv4Address(file["services"][service]["networks"]["proxy"]["ipv4_address"])
    [pool] = file["networks"]["proxy"]["ipam"]["config"]
    assert address in IPv4Network(pool["subnet"])
    assert IPv4Network(pool["ip_range"]).subnet_of(IPv4Network(pool["subnet"]))
    assert address not in IPv4Network(pool["ip_range"])
    assert str(address) in file["services"]["backend"]["environment"]["NGXLAB_TRUSTED_PROXIES"].split(",")


def test_what_serves_starts_again_by_itself() -> None:
    policies = {name: service["restart"] for name, service in compose()["services"].items()}
    assert {name for name, policy in policies.items() if policy == "no"} == {"roles", "migrate", "admin", "setup"}
    assert set(policies.values()) == {"no", "unless-stopped"}


def test_each_image_is_built_once() -> None:
    services_ = compose()["services"]
    built = [service["image"] for service in services_.values() if "build" in service]
    assert sorted(built) == sorted(set(built))
    assert {service["image"] for service in services_.values() if service["image"].startswith("ngxlab-")} == set(built)


@pytest.mark.parametrize("service", ["redis", "roles", *PARTS_OF_NGXLAB])
def test_what_needs_no_rights_has_none(service: str) -> None:
    confined = compose()["services"][service]
    assert confined["read_only"] is True
    assert confined["tmpfs"] == ["/tmp"]
    assert confined["cap_drop"] == ["ALL"]
    assert confined["security_opt"] == ["no-new-privileges:true"]


def test_the_server_needs_no_folder_to_write_to_but_tmp() -> None:
    """As in its container: a root that is read-only, and an empty /tmp."""
    port = services.free_port()
    with services.postgresql() as database, services.redis() as broker:
        told = {
            "DATABASE_URL": database,
            "REDIS_URL": broker,
            "NGXLAB_COORDINATOR_TOKEN": "c" * 32,
            "NGXLAB_PORT": str(port),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PATH": os.environ["PATH"],
        }
        within = ["bwrap", "--ro-bind", "/", "/", "--tmpfs", "/tmp", "--dev", "/dev", "--proc", "/proc",
                  "--die-with-parent", "--", str(BIN / "ngxlab-server")]  # fmt: skip
        subprocess.run([*within, "migrate"], env=told, check=True)
        with subprocess.Popen([*within, "serve"], env=told, stderr=subprocess.DEVNULL) as server:
            try:
                wait_until(lambda: services.answers(port), "the server")
                wait_until(lambda: _is_ready(port), "readiness")
            finally:
                server.terminate()


def _is_ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
