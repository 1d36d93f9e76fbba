"""What nginx does where a configuration says nothing, by version: the changes are in ``nginx_defaults.toml``."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from ngxlab.analysis.schemas import NginxBuild
from ngxlab.analysis.summary.environment import directive_values

Version = tuple[int, ...]

_NGINX = re.compile(r"(?:nginx/)?(\d+)\.(\d+)\.(\d+)")


@dataclass(frozen=True)
class DefaultChange:
    """``since`` has ``after``, versions before it have ``before``. ``needs``: a directive without which the default
    acts on nothing, or with a value the directive and that value."""

    directive: str
    since: str
    before: str
    after: str
    needs: str = ""

    @property
    def version(self) -> Version:
        return tuple(map(int, self.since.split(".")))


@cache
def changes() -> tuple[DefaultChange, ...]:
    """The latest first."""
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    return TypeAdapter(tuple[DefaultChange, ...]).validate_python(tomllib.loads(text)["change"])


def version_of(build: NginxBuild | None) -> Version | None:
    """Such as ``(1, 22, 1)``; ``None`` where it is not known, or of a build that is no nginx, such as Angie or Tengine:
    its defaults are its own."""
    match = _NGINX.match(build.version) if build is not None else None
    return tuple(map(int, match.groups())) if match is not None else None


def has_changed(directive: str, version: Version | None) -> bool:
    """Whether that version has the latest default of a directive. An unknown one counts as an old one."""
    latest = next(change for change in changes() if change.directive == directive)
    return version is not None and version >= latest.version


def left_to_nginx(config: str) -> list[str]:
    """The directives of the table whose defaults act in a configuration, since it says nothing of them."""
    found = {change.directive for change in changes() if not directive_values(config, change.directive)}
    return sorted(found & {change.directive for change in changes() if _matters(change, config)})


def _matters(change: DefaultChange, config: str) -> bool:
    name, _, value = change.needs.partition(" ")
    return not name or any(not value or value == given for given in directive_values(config, name))
