"""What leaves by a link or in a file tells no address of a host, and no folder of an agent or a person.

A pure function of the text, so that two installations redact the same text alike. Loopback addresses tell nothing.
"""

import re
from collections.abc import Callable, Mapping
from ipaddress import ip_address
from typing import Any, TypeVar

from pydantic import BaseModel

from ngxlab.metrics.schemas import TrialSeries
from ngxlab.reports.schemas import Report

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_PART = r"/[^/\s\"'`;:,(){}<>\[\]]{1,255}"
_TRIAL_FOLDER = re.compile(rf"(?:{_PART}){{0,16}}/{_UUID}")
"""An agent keeps each trial in a folder that has the trial's id for a name. Bounded, since logs may be hostile."""
_PROGRAM = re.compile(
    rf"(?<![\w/.<])/(?!(?:usr|bin|sbin|lib|lib64|opt|etc|proc|sys|dev)/)(?:{_PART[1:]}/){{1,16}}(?=[\w.])"
)
"""The folder of a program, where it is not one that each system has."""
_HOME = re.compile(r"(?<![\w/.])/(?:home/[^/\s\"'`;:,(){}<>\[\]]{1,255}|root)(?![\w-])")
_IPV4 = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]*\d)")
_IPV6 = re.compile(r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}(?:[0-9A-Fa-f]{1,4}|\d{1,3}(?:\.\d{1,3}){3})?(?![\w:])")

FOLDER, HOME, ADDRESS = "<folder>", "~", "<address>"

_Model = TypeVar("_Model", bound=BaseModel)


def redacted(text: str, address: str = ADDRESS) -> str:
    """``address``: what stands for one, where the text must remain one."""
    if "/" in text:
        text = _HOME.sub(HOME, _TRIAL_FOLDER.sub(FOLDER, text))
    return without_addresses(text, address)


def without_addresses(text: str, address: str = ADDRESS) -> str:
    """Redacts what an author wrote: what looks like a folder there is the path of a request."""

    def hide(match: re.Match[str]) -> str:
        return address if _tells(match[0]) else match[0]

    if ":" in text:
        text = _IPV6.sub(hide, text)
    return _IPV4.sub(hide, text) if "." in text else text


def redacted_json(value: Any, address: str = ADDRESS) -> Any:
    """A JSON value with all its texts redacted, at any depth. Keys are names that the product gives."""
    return _each_text(value, lambda text: redacted(text, address))


def redacted_spec(spec: Mapping[str, Any], address: str = ADDRESS) -> dict[str, Any]:
    """What a host had to do in a trial, as JSON: its requests keep their paths. Programs lie in folders."""
    kept: dict[str, Any] = _each_text(spec, lambda text: without_addresses(text, address))
    for server in (kept.get("nginx"), *kept.get("upstream_servers", [])):
        if server is not None:
            server["binary"] = redacted(server["binary"], address)
    return kept


def redacted_report(report: Report) -> Report:
    """Configurations keep their locations: the folders in them are written as ``@@folder@@``. Hosts name programs by
    where they are."""
    hidden = redacted_model(report)
    pairs = zip(hidden.arms, report.arms, strict=True)
    arms = [arm.model_copy(update={"config": without_addresses(own.config)}) for arm, own in pairs]
    told = [_each_text(host.model_dump(mode="json"), without_programs) for host in hidden.hosts]
    hosts = [type(host).model_validate(text) for host, text in zip(hidden.hosts, told, strict=True)]
    return hidden.model_copy(update={"arms": arms, "hosts": hosts})


def without_programs(text: str) -> str:
    """Redacts the folders of programs, but for those of the system."""
    return _PROGRAM.sub(f"{FOLDER}/", text) if "/" in text else text


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _each_text(item, change) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_each_text(item, change) for item in value]
    return value


def redacted_model(model: _Model) -> _Model:
    return type(model).model_validate(redacted_json(model.model_dump(mode="json")))


def redacted_series(series: TrialSeries) -> TrialSeries:
    """Lines are names and numbers; hosts speak in the marks, and in the reasons for what cannot be read."""
    actions = [redacted_model(mark) for mark in series.actions]
    return series.model_copy(update={"actions": actions, "unreadable": redacted_json(series.unreadable)})


def _tells(text: str) -> bool:
    try:
        found = ip_address(text)
    except ValueError:
        return False
    return not (found.is_loopback or found.is_unspecified)
