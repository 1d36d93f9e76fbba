"""Let the real nginx of this host judge configurations, before anything starts (``nginx -t``, in the sandbox)."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from ngxlab_contracts.config_check import ArmConfig, ArmVerdict, ConfigCheckResult, ConfigCheckSpec, ConfigFinding
from ngxlab_contracts.trials import BACKEND_VARIABLE_PREFIX, Endpoint, NginxSpec

from ngxlab_worker.api_client import AgentClient
from ngxlab_worker.nginx import NginxError, NginxServer
from ngxlab_worker.nginx.config import LOCAL
from ngxlab_worker.sandbox import Sandbox, SandboxError
from ngxlab_worker.trial.folder import make_folder, read_bounded, remove_folder
from ngxlab_worker.upstreams import write_stand_ins

TIME_LIMIT_S = 20.0
"""For all arms together: a trial may be waiting behind this check."""
LONGEST_OUTPUT = 65_536

DISCARD_PORT = 9

_BACKEND = re.compile(rf"@@({re.escape(BACKEND_VARIABLE_PREFIX)}.*?)@@")
_SAID = re.compile(r"nginx: \[(?P<severity>\w+)\] (?P<message>.*)")
_PLACE = re.compile(r" in (?P<file>/.*?):(?P<line>\d+)$")


class CheckAbortedError(Exception):
    """The check cannot go on: it takes too long, or the agent stops."""


class ConfigCheckClient(AgentClient):
    """The backend's side of a check. All methods raise ``ApiError``."""

    def config_check(self, check_id: UUID) -> ConfigCheckSpec:
        return self._call("GET", f"/agent/config-checks/{check_id}", ConfigCheckSpec)

    def send_config_check(self, check_id: UUID, result: ConfigCheckResult) -> None:
        self._send("POST", f"/agent/config-checks/{check_id}", result)


@dataclass(frozen=True)
class CheckSetting:
    """``root`` holds the throw-away folders; ``stopping``: the agent is about to end."""

    root: Path
    sandbox: Sandbox
    stopping: Callable[[], bool]


def check_configs(spec: ConfigCheckSpec, setting: CheckSetting) -> ConfigCheckResult:
    """Test each arm's configuration as its trial would. Nothing is left behind. From the main thread.

    Where the host fails, not a configuration, the result says why in ``failure``.
    """
    deadline = time.monotonic() + TIME_LIMIT_S

    def pause(seconds: float) -> None:
        if setting.stopping():
            raise CheckAbortedError("the agent is stopping")
        if time.monotonic() > deadline:
            raise CheckAbortedError(f"nginx did not judge all arms within {TIME_LIMIT_S:g} s")
        time.sleep(seconds)

    verdicts: list[ArmVerdict] = []
    try:
        for arm in spec.arms:
            pause(0)
            verdicts.append(_judge(arm, spec.check_id, setting, pause))
    except (NginxError, SandboxError, CheckAbortedError, OSError) as error:
        return ConfigCheckResult(verdicts=verdicts, failure=str(error))
    return ConfigCheckResult(verdicts=verdicts)


def _judge(arm: ArmConfig, check_id: UUID, setting: CheckSetting, pause: Callable[[float], None]) -> ArmVerdict:
    folder = make_folder(setting.root, check_id, setting.sandbox.run_as)
    try:
        if arm.nginx.upstreams is not None:
            write_stand_ins(arm.nginx.upstreams, folder, _stand_in("any"))
        refusal = _refusal(NginxServer(arm.nginx, folder, setting.sandbox, pause), _stand_ins(arm.nginx))
        findings = parse_findings(read_bounded(folder / "test.err", LONGEST_OUTPUT), folder)
    finally:
        remove_folder(folder)
    if refusal is not None and not findings:
        findings = [ConfigFinding(severity="emerg", message=refusal, line=None)]
    return ArmVerdict(arm=arm.arm, accepted=refusal is None, findings=findings)


def _refusal(nginx: NginxServer, backends: list[Endpoint]) -> str | None:
    """What is said against the configuration; raises ``NginxError`` where it could not be tested."""
    try:
        nginx.configure(backends)
    except NginxError as error:
        if error.code != "nginx-config-invalid":
            raise
        return str(error)
    return None


def _stand_ins(spec: NginxSpec) -> list[Endpoint]:
    """For each backend of the configuration."""
    return [_stand_in(name) for name in set(_BACKEND.findall(spec.config))]


def _stand_in(name: str) -> Endpoint:
    """A server on the discard port for a backend that is not up now."""
    return Endpoint(name=name, address=LOCAL, ports=[DISCARD_PORT])


def parse_findings(output: str, folder: Path) -> list[ConfigFinding]:
    """What ``nginx -t`` printed as an error, for a configuration in ``folder``/nginx.conf.

    Lines of our own configuration become ``line``; the place of anything else stays in the message. What does not
    begin with ``nginx:`` goes on with the message before: nginx quotes a word with the line breaks in it.
    """
    said: list[tuple[str, str]] = []
    for text in output.splitlines():
        if found := _SAID.fullmatch(text):
            said.append((found["severity"], found["message"]))
        elif said and not text.startswith("nginx:"):
            severity, begun = said.pop()
            said.append((severity, f"{begun}\n{text}"))
    return [_finding(severity, message, folder) for severity, message in said]


def _finding(severity: str, message: str, folder: Path) -> ConfigFinding:
    line = None
    if (place := _PLACE.search(message)) and place["file"] == str(folder / "nginx.conf"):
        message, line = message[: place.start()], int(place["line"])
    shown = message.replace(f"{folder}/", "")  # the throw-away folder means nothing to a reader
    return ConfigFinding(severity=severity, message=shown, line=line)
