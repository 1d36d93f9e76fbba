"""Servers of an upstream: only declared upstream servers, with options.

``{{ servers("KEY", instance=2, weight=5, backup=true) }}`` becomes ``@@upstream.KEY:instance=2,weight=5,backup@@``, and
on the host ``server ADDRESS:PORT weight=5 backup;`` for each instance, or for the one that is named.
"""

import re
from collections.abc import Iterable, Mapping

from ngxlab_contracts.sentences import say
from ngxlab_contracts.trials import UPSTREAM_VARIABLE_PREFIX

OPTIONS: Mapping[str, str] = {
    "instance": r"[1-9][0-9]{0,3}",
    "weight": r"[1-9][0-9]{0,5}",
    "max_conns": r"[0-9]{1,7}",
    "max_fails": r"[0-9]{1,6}",
    "fail_timeout": r"[0-9]{1,6}(ms|s|m|h)?",
    "backup": "",
    "down": "",
}
"""What may follow a server's address, with the form of its value; ``instance`` chooses one of the instances."""

CALL = '{{ servers("KEY") }}'
EXAMPLE = '{{ servers("KEY", weight=5, max_fails=0) }}'


def place_of(key: str, options: Mapping[str, object]) -> str:
    """The placeholder for the servers of ``key``. Raises ``ValueError`` with a sentence about the wrong option."""
    words = []
    for name, value in options.items():
        if name in OPTIONS and not OPTIONS[name]:
            if not isinstance(value, bool):
                raise ValueError(say("{option} must be true or false", option=name))
            words += [name] if value else []
        else:
            words.append(f"{name}={value}")
    if (wrong := next((word for word in words if not _is_option(word)), None)) is not None:
        raise ValueError(
            say(
                "{option} is not an option of a server: {options} are, each in nginx's form",
                option=wrong,
                options=", ".join(OPTIONS),
            )
        )
    return f"@@{UPSTREAM_VARIABLE_PREFIX}{':'.join([key, *filter(None, [','.join(words)])])}@@"


def key_of(name: str, keys: Iterable[str]) -> str | None:
    """The declared upstream server that a placeholder's name (``upstream.KEY:OPTIONS``) stands for, if it is one."""
    key, colon, options = name.removeprefix(UPSTREAM_VARIABLE_PREFIX).partition(":")
    well_formed = not colon or all(_is_option(word) for word in options.split(","))
    return key if name.startswith(UPSTREAM_VARIABLE_PREFIX) and key in keys and well_formed else None


def _is_option(word: str) -> bool:
    name, equals, value = word.partition("=")
    form = OPTIONS.get(name)
    return form is not None and bool(equals) == bool(form) and re.fullmatch(form, value, re.ASCII) is not None
