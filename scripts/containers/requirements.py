"""What must hold of the running containers. Each function raises :class:`Failure` with what does not."""

import json
import ssl
import urllib.error
import urllib.request

from scripts.console import Failure, check, run, say
from scripts.containers.project import IMAGES, Project
from scripts.stack.waiting import wait_until

RUNNING = {"postgres", "redis", "backend", "jobs", "coordinator", "agent", "front", "tls"}
OWN = ("backend", "jobs", "coordinator", "agent", "front")
"""One of each image that is built."""
NOTICED_WITHIN_S = 240


def health(project: Project) -> dict[str, str]:
    return {one["Service"]: one["Health"] for one in project.services()}


def all_are_healthy(project: Project) -> None:
    found = health(project)
    check(found == dict.fromkeys(RUNNING, "healthy"), f"the services are {found}")


def nobody_is_root(project: Project) -> None:
    """The main process of each container has an unprivileged user and no capability, on a root that is read-only."""
    for one in project.services():
        said = project.compose("exec", "-T", one["Service"], "cat", "/proc/1/status")
        status = {name: value.split() for name, _, value in (line.partition(":") for line in said.splitlines())}
        check(status["Uid"][0] != "0", f"{one['Service']} runs as root")
        check(int(status["CapEff"][0], 16) == 0, f"{one['Service']} has the capabilities {status['CapEff']}")
        check(status["NoNewPrivs"][0] == "1", f"{one['Service']} may get new privileges")
        ask = ["docker", "inspect", "--format={{.HostConfig.ReadonlyRootfs}}", one["ID"]]
        check(run(ask, hint="").strip() == "true", f"the root of {one['Service']} can be written to")


def no_log_has_a_secret(project: Project) -> None:
    logs = project.compose("logs", "--no-color", "--no-log-prefix")
    check(len(logs) > 0, "there are no logs")
    told = [name for name, value in project.secret_values.items() if value in logs]
    check(not told, f"logs have the values of {told}")


def a_frozen_service_is_unhealthy(project: Project) -> None:
    """``SIGSTOP`` to a coordinator: nothing but itself stands still."""
    project.compose("kill", "--signal=SIGSTOP", "coordinator")
    try:
        wait_until(lambda: health(project)["coordinator"] == "unhealthy", "the health check notices", NOTICED_WITHIN_S)
        others = {name: state for name, state in health(project).items() if name != "coordinator"}
        check(set(others.values()) == {"healthy"}, f"the others are {others}")
    finally:
        project.compose("kill", "--signal=SIGCONT", "coordinator")
    wait_until(lambda: health(project)["coordinator"] == "healthy", "the coordinator recovers", NOTICED_WITHIN_S)


def https_is_verified(project: Project) -> None:
    trusting = ssl.create_default_context(cafile=str(project.certificates.authority))
    with urllib.request.urlopen(f"{project.https}/readyz", context=trusting, timeout=20) as answer:
        check(answer.status == 200, f"/readyz answers {answer.status}")
    try:
        urllib.request.urlopen(f"{project.https}/readyz", context=ssl.create_default_context(), timeout=20)
    except urllib.error.URLError as error:
        check(isinstance(error.reason, ssl.SSLCertVerificationError), f"https fails: {error.reason}")
    else:
        raise Failure("https is trusted without its authority")


def nothing_is_left_of_the_build(project: Project) -> None:
    """No compiler, no package manager of a language, no list of packages, no tests."""
    looks = [f"command -v {tool}" for tool in ("cc", "gcc", "make", "git", "node", "npm", "/opt/venv/bin/pip")]
    looks += ["ls -A /var/lib/apt/lists /var/cache/apt/archives/*.deb", "find /app /opt/venv -name tests"]
    order = f"{{ {'; '.join(looks)}; }} 2>/dev/null | grep -v ':$'; true"
    for service in OWN:
        said = project.compose("exec", "-T", service, "sh", "-c", order)
        check(not said.strip(), f"the image of {service} has {' '.join(said.split())}")


def say_sizes() -> None:
    for name in IMAGES:
        said = json.loads(run(["docker", "image", "inspect", f"{name}:tried"], hint=""))
        say(f"    {name}: {said[0]['Size'] / 1e6:.0f} MB")
