"""What a real nginx in the agent's sandbox makes of each hostile configuration that had passed the allow-list.

``python -m definition.hostile.judge``, in a network and mount namespace of its own, prints a JSON list: for each
configuration of the corpus, in its order, what stopped it with namespaces and without, and the evidence.
"""

import json
import pwd
import sys
import tempfile
from pathlib import Path

from definition.hostile.attempt import Attempt, agent_refuses, batches, rendered
from definition.hostile.bait import SECRETS, Outside, authors
from definition.hostile.corpus import ALL
from definition.hostile.stops import Stop
from ngxlab_worker.sandbox import Isolation, Sandbox, resolve_run_as
from ngxlab_worker.sandbox.identity import hand_over

TOGETHER = 12
TEXTS = [text for _, text, _ in ALL]


def main() -> None:
    outside = Outside()
    sound = [(fragment, rendered(fragment, text)) for fragment, text, _ in ALL]
    agent = [agent_refuses(config) for _, config in sound]
    without = _judged(Isolation.GUARDIAN, outside, [config for _, config in sound])
    within = _judged(Isolation.NAMESPACE, outside, [config for _, config in sound])
    for number, ((stop, _), (bare, evidence)) in enumerate(zip(within, without, strict=True)):
        hidden = stop is Stop.NOTHING and bare is Stop.PERMISSIONS
        if hidden or (stop is not Stop.LIST and bare is Stop.LIST):
            within[number] = (Stop.VIEW, f"without namespaces: {evidence}")
    json.dump([agent, within, without], sys.stdout)


def _judged(isolation: Isolation, outside: Outside, configs: list[str]) -> list[tuple[Stop, str]]:
    root = Path(tempfile.mkdtemp(prefix="hostile-"))
    root.chmod(0o711)
    secret = root / "credential.json"
    secret.write_bytes(SECRETS[1])
    hand_over(secret, None)
    sandbox = Sandbox(isolation, resolve_run_as(_user()))
    outside.watch()
    found: dict[int, tuple[Stop, str]] = {}
    for batch in batches(TEXTS, TOGETHER):
        attempts = {n: Attempt.prepared(configs[n], root / "trials", n, sandbox) for n in batch}
        try:
            for attempt in attempts.values():
                attempt.start(sandbox)
            reached = {n: _reached(attempt, outside) for n, attempt in attempts.items()}
        finally:
            for attempt in attempts.values():
                attempt.end()
        written = _written(outside, batch)
        for n, attempt in attempts.items():
            found[n] = _stop(attempt, reached[n] + written[n])
    return [found[n] for n in range(len(configs))]


def _written(outside: Outside, batch: list[int]) -> dict[int, list[str]]:
    """Files outside of the trials' folders, by who wrote them."""
    written: dict[int, list[str]] = {n: [] for n in batch}
    for path in outside.new_files():
        by = authors(path, {n: TEXTS[n] for n in batch})
        assert len(by) == 1, (path, by)
        written[by[0]].append(f"wrote {path}")
    return written


def _reached(attempt: Attempt, outside: Outside) -> list[str]:
    """What it got that it should not, in words."""
    callers = len(outside.callers)
    if attempt.await_start():
        attempt.ask()
    found = [f"read {secret!r}" for secret in SECRETS if any(secret in body for body in attempt.bodies)]
    return found + (["connected elsewhere"] if len(outside.callers) > callers else [])


def _stop(attempt: Attempt, reached: list[str]) -> tuple[Stop, str]:
    if attempt.cap is not None:
        return Stop.CAPS, attempt.cap
    if reached:
        return Stop.LIST, ", ".join(reached)
    said = attempt.said or attempt.error_log()
    last = said.strip().splitlines()[-1] if said.strip() else ""
    if attempt.said:
        return _refusal(attempt.said), last
    if "(13: Permission denied)" in said:
        return Stop.PERMISSIONS, last
    return Stop.NOTHING, last


def _refusal(said: str) -> Stop:
    """By what nginx, or the agent before it, says instead of starting."""
    for part, stop in (
        ("agent: ", Stop.AGENT),
        ("unknown directive", Stop.MODULE),
        ("(13: Permission denied)", Stop.PERMISSIONS),
        ("(30: Read-only file system)", Stop.VIEW),
        ("(2: No such file or directory)", Stop.VIEW),
    ):
        if part in said:
            return stop
    return Stop.NGINX


def _user() -> str:
    try:
        return pwd.getpwnam("ngxlab").pw_name
    except KeyError:
        return "nobody"


if __name__ == "__main__":
    main()
