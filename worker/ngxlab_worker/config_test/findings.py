"""What ``nginx -t`` prints, parsed."""

import re
from pathlib import Path

from ngxlab_contracts.config_test import ConfigFinding

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
