"""Tests configurations with the real nginx of this host (``nginx -t``, in the sandbox), before anything is measured,
and then asks each nginx as its streams would."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID

from ngxlab_contracts.answers import FirstAnswer
from ngxlab_contracts.config_test import ArmConfig, ArmVerdict, ConfigFinding, ConfigTestResult, ConfigTestSpec
from ngxlab_contracts.trials import UPSTREAM_VARIABLE_PREFIX, Endpoint, NginxSpec

from ngxlab_worker.confinement import Bounds, CapWatch, Confinement
from ngxlab_worker.first_answers import NoWallsError, first_answers, walls
from ngxlab_worker.nginx import NginxError, NginxServer
from ngxlab_worker.nginx.config import LOCAL
from ngxlab_worker.nginx.files import LIBRARY
from ngxlab_worker.sandbox import Sandbox, SandboxError
from ngxlab_worker.trial.folder import make_folder, read_bounded, remove_folder
from ngxlab_worker.upstream_groups import write_stand_ins

TIME_LIMIT_S = 20.0
"""Bounds the test of all arms together: a trial may be waiting behind it."""
LONGEST_OUTPUT = 65_536
LONGEST_REASON = 2_000

DISCARD_PORT = 9

MOST_INSTANCES = 1000
_UPSTREAM = re.compile(rf"@@({re.escape(UPSTREAM_VARIABLE_PREFIX)}[^:@]*)(?::[^@]*?\binstance=(\d{{1,4}})\b)?[^@]*@@")
"""The name of an upstream server, and the number of the instance that is chosen, if one is."""


class ConfigTestAbortedError(Exception):
    """The test cannot go on: it takes too long, or the agent is stopping."""


@dataclass(frozen=True)
class ConfigTestContext:
    """``root`` holds the temporary folders; ``stopping`` is true once the agent is shutting down.

    ``bounds``: what each nginx may use. ``unanswered``: why no request may be sent, if so.
    """

    root: Path
    sandbox: Sandbox
    bounds: Bounds
    stopping: Callable[[], bool]
    unanswered: str | None = None


def run_config_test(spec: ConfigTestSpec, context: ConfigTestContext) -> ConfigTestResult:
    """Test each arm's configuration as its trial would, and leave nothing behind. Call it from the main thread.

    Where the host rather than a configuration is at fault, ``failure`` of the result says why. Then the arms that nginx
    accepts are asked, one after the other, in what is left of the time.
    """
    deadline = time.monotonic() + TIME_LIMIT_S

    def pause(seconds: float) -> None:
        if context.stopping():
            raise ConfigTestAbortedError("the agent is stopping")
        if time.monotonic() > deadline:
            raise ConfigTestAbortedError(f"nginx did not test all arms within {TIME_LIMIT_S:g} s")
        time.sleep(seconds)

    verdicts: list[ArmVerdict] = []
    try:
        with _behind_walls(context) as inside:
            for arm in spec.arms:
                pause(0)
                verdicts.append(_judge(arm, spec.test_id, inside, pause))
    except (NginxError, SandboxError, ConfigTestAbortedError, OSError) as error:
        return ConfigTestResult(verdicts=verdicts, failure=str(error))
    asked = {arm.arm: arm for arm in spec.arms if arm.streams}
    return ConfigTestResult(
        verdicts=[
            _answered(verdict, asked[verdict.arm], spec.test_id, context, pause)
            if verdict.accepted and verdict.arm in asked
            else verdict
            for verdict in verdicts
        ]
    )


@contextmanager
def _behind_walls(context: ConfigTestContext) -> Iterator[ConfigTestContext]:
    """Modules run code of the experiment while nginx tests its configuration: it sees what a trial sees of this host.
    A host that has neither a network for a trial nor a fence tests all the same, as it runs trials all the same."""
    with ExitStack() as leftovers:
        with suppress(NoWallsError):
            context = replace(context, sandbox=leftovers.enter_context(walls(context.sandbox)))
        yield context


def _answered(
    verdict: ArmVerdict, arm: ArmConfig, test_id: UUID, context: ConfigTestContext, pause: Callable[[float], None]
) -> ArmVerdict:
    """The verdict with the arm's first answers, or with the reason why there are not all of them."""
    answers: list[FirstAnswer] = []
    unanswered = context.unanswered
    if unanswered is None:
        try:
            pause(0)
            with walls(context.sandbox) as walled:
                folder = make_folder(context.root, test_id, context.sandbox.run_as)
                try:
                    inside = replace(context, sandbox=walled)
                    declared = sum(files.total_bytes for files in arm.nginx.files)
                    with _confined(inside, folder, declared) as sandbox:
                        for answer in first_answers(arm, folder, sandbox, pause):
                            answers.append(answer)
                finally:
                    remove_folder(folder)
        except (NginxError, SandboxError, ConfigTestAbortedError, NoWallsError, OSError) as error:
            unanswered = str(error)[:LONGEST_REASON]
    return verdict.model_copy(update={"answers": answers, "unanswered": unanswered})


def _judge(arm: ArmConfig, test_id: UUID, context: ConfigTestContext, pause: Callable[[float], None]) -> ArmVerdict:
    folder = make_folder(context.root, test_id, context.sandbox.run_as)
    try:
        if arm.nginx.upstreams is not None:
            write_stand_ins(arm.nginx.upstreams, folder, _stand_in("any"))
        with _confined(context, folder) as sandbox:
            refusal = _refusal(NginxServer(arm.nginx, folder, sandbox, pause), _stand_ins(arm.nginx))
        findings = parse_findings(read_bounded(folder / "test.err", LONGEST_OUTPUT), folder)
    finally:
        remove_folder(folder)
    if refusal is not None and not findings:
        findings = [ConfigFinding(severity="emerg", message=refusal, line=None)]
    return ArmVerdict(arm=arm.arm, accepted=refusal is None, findings=findings)


@contextmanager
def _confined(context: ConfigTestContext, folder: Path, declared_bytes: int = 0) -> Iterator[Sandbox]:
    """Raises ``ConfigTestAbortedError`` where nginx hit one of the owner's caps."""
    uid = context.sandbox.run_as.uid if context.sandbox.run_as is not None else None
    confinement = Confinement(folder, context.bounds, declared_bytes, (LIBRARY,), uid=uid)
    failure: Exception | None = None
    try:
        with CapWatch(confinement, lambda _: None):
            try:
                yield replace(context.sandbox, confinement=confinement)
            except Exception as error:  # noqa: BLE001 — a cap that was hit explains whatever it is
                failure = error
        reason = confinement.exceeded()
    finally:
        confinement.close()
    if reason is not None:
        raise ConfigTestAbortedError(f"nginx was ended: {reason}") from failure
    if failure is not None:
        raise failure


def _refusal(nginx: NginxServer, upstreams: list[Endpoint]) -> str | None:
    """Why nginx refuses the configuration, if it does. Raises ``NginxError`` where it could not be tested."""
    try:
        nginx.configure(upstreams)
    except NginxError as error:
        if error.code != "nginx-config-invalid":
            raise
        return str(error)
    return None


def _stand_ins(spec: NginxSpec) -> list[Endpoint]:
    instances: dict[str, int] = {}
    for name, instance in _UPSTREAM.findall(spec.config):
        instances[name] = max(instances.get(name, 1), int(instance or 1))
    return [_stand_in(name, number) for name, number in instances.items()]


def _stand_in(name: str, instances: int = 1) -> Endpoint:
    """An endpoint on the discard port (RFC 863), in place of an upstream server that is not running now."""
    return Endpoint(name=name, address=LOCAL, ports=[DISCARD_PORT] * min(instances, MOST_INSTANCES))


_SAID = re.compile(r"nginx: \[(?P<severity>\w+)\] (?P<message>.*)")
_PLACE = re.compile(r" in (?P<file>/.*?):(?P<line>\d+)$")


def parse_findings(output: str, folder: Path) -> list[ConfigFinding]:
    """What ``nginx -t`` printed on standard error for the configuration ``folder``/nginx.conf.

    A place in that file becomes ``line``; a place in any other file stays in the message. A line that does not begin
    with ``nginx:`` continues the message before it: nginx quotes words together with their line breaks.
    """
    said: list[tuple[str, str]] = []
    for text in output.splitlines():
        if match := _SAID.fullmatch(text):
            said.append((match["severity"], match["message"]))
        elif said and not text.startswith("nginx:"):
            severity, begun = said.pop()
            said.append((severity, f"{begun}\n{text}"))
    return [_finding(severity, message, folder) for severity, message in said]


def _finding(severity: str, message: str, folder: Path) -> ConfigFinding:
    line = None
    if (place := _PLACE.search(message)) and place["file"] == str(folder / "nginx.conf"):
        message, line = message[: place.start()], int(place["line"])
    shown = message.replace(f"{folder}/", "")  # the temporary folder means nothing to a reader
    return ConfigFinding(severity=severity, message=shown, line=line)
