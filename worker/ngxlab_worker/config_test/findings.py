"""What ``nginx -t`` prints, parsed."""

import re
from pathlib import Path

from ngxlab_contracts.config_test import ConfigFinding

_SAID = re.compile(r"nginx: \[(?P<severity>\w+)\] (?P<message>.*)")
_PLACE = re.compile(r" in (?P<file>/.*?):(?P<line>\d+)$")


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
