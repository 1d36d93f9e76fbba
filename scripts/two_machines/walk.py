"""The page's steps, in its order."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

from scripts import agent_bundle
from scripts.agent_bundle.build import reissue
from scripts.console import check, say, step
from scripts.paths import ROOT
from scripts.testbed.netns import Fleet
from scripts.testbed.stack import Stack, running_stack
from scripts.two_machines.machine import NAME, Machine, second_machine

PAGE = ROOT / "docs" / "two-machines.md"
_RUN_PATIENCE_S = 600
_SMALL = {"connections": 20, "blocks": 2, "warmup_s": 1, "measure_s": 2, "cooldown_s": 0}


def commands(section: str, text: str | None = None) -> list[str]:
    """The commands of a section of the page that are for the second machine."""
    page = PAGE.read_text() if text is None else text
    parts = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL))
    blocks = re.findall(r"^```sh\n(.*?)^```$", parts[section], re.MULTILINE | re.DOTALL)
    return [line.partition("  #")[0].rstrip() for block in blocks for line in block.splitlines()]


def walk(folder: Path) -> None:
    """Raises :class:`Failure` where a step does not do what the page says."""
    offered = folder / "offered"
    shutil.copytree(agent_bundle.FOLDER, offered)
    with Fleet((NAME,)) as fleet, running_stack(fleet.gateway, NGXLAB_AGENT_BUNDLE_DIR=str(offered)) as stack:
        with second_machine(fleet) as machine:
            _join(stack, machine)
            with step("An experiment on the second machine"):
                _experiment(stack)
            with step("Status"):
                _all(machine, "See how it is")
            with step("Upgrade"):
                _upgrade(machine, offered)
            with step("Leave"):
                _all(machine, "Leave")
                left = [host["name"] for host in stack.api("GET", "/hosts")["items"]]
                check(NAME not in left, "the server still lists the host that has left")
        say("A second machine has joined by the page's line, measured, was upgraded, and has left.")


def _join(stack: Stack, machine: Machine) -> None:
    joining = stack.api("GET", "/hosts/joining")
    check(not joining["obstacles"], f"the page says that no machine can join: {joining['obstacles']}")
    made = stack.api("POST", "/hosts/enrolment-tokens", {"expires_in_minutes": 60})
    with step("What the page asks for first"):
        _all(machine, "Before")
    with step("The page's line, on a fresh Debian 12"), machine.watched_for(made["token"]) as seen:
        check(machine.run(_typed(machine, made["command"])).splitlines()[-1] == "idle", "it does not end with: idle")
    check(not seen, f"the token stands in the process list: {seen[:1]}")
    with step("The same line again"):
        check("already" in machine.run(_typed(machine, made["command"])), "it does not say that it is a host already")


def _typed(machine: Machine, line: str) -> str:
    """A line as somebody types it into a shell: no process has it as an argument."""
    (machine.folder / "root" / "typed").write_text(f"{line}\n")
    return "sh </root/typed"


def _experiment(stack: Stack) -> None:
    [host] = [host["id"] for host in stack.api("GET", "/hosts")["items"] if host["name"] == NAME]
    run = stack.start_run("reuseport", host, **_SMALL)
    stack.completed(run, _RUN_PATIENCE_S)
    report: Any = stack.api("GET", f"/runs/{run}/report")
    say(f"    verdict: {report['analysis']['verdict']}")
    stack.idle_host(NAME)


def _upgrade(machine: Machine, offered: Path) -> None:
    before = json.loads((offered / "bundle.json").read_text())["sha256"]
    reissue(offered)
    check("another agent" in machine.run("ngxlab host status"), "the status does not name the newer agent")
    _all(machine, "Upgrade")
    check("another agent" not in machine.run("ngxlab host status"), "the old agent is still there")
    check(before[:12] not in machine.run("ls /opt/ngxlab"), "the old agent's files are still there")


def _all(machine: Machine, section: str) -> None:
    for line in commands(section):
        say(f"    # {line}")
        machine.run(line)
