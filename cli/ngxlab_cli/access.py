"""The server and the token: options override the environment, which overrides what ``ngxlab login`` has saved.

Where none of them names a server, it is the one that ``make up`` starts on this machine.
"""

import getpass
import json
import os
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from ngxlab_cli import local_stack
from ngxlab_cli.errors import NotSignedInError, UsageError

LOGIN_HINT = "`ngxlab login --url URL`, or set NGXLAB_URL and NGXLAB_TOKEN"


@dataclass(frozen=True)
class Access:
    """``url`` has no slash at its end. ``token`` is a personal API token: never print it."""

    url: str
    token: str = field(repr=False)


def config_file() -> Path:
    """Where ``ngxlab login`` saves the token (XDG base directories)."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "ngxlab" / "config.toml"


def find_access(url: str | None, token: str | None, *, starts: bool = False) -> Access:
    """The access to use. A saved token goes only to the server for which it was saved.

    ``starts``: start ngxlab on this machine where no server is named and none runs here. Raises ``UnreachableError``,
    ``NotSignedInError`` and ``UsageError``.
    """
    saved = _saved()
    wanted = url or os.environ.get("NGXLAB_URL")
    if not wanted and saved is None:
        saved = _of_this_machine(starts=starts)
    address = normal_url(wanted) if wanted else saved.url if saved else None
    if address is None:
        raise NotSignedInError(f"no server is known: {LOGIN_HINT}. {local_stack.HINT}")
    given = token or os.environ.get("NGXLAB_TOKEN")
    if given:
        return Access(address, checked_token(given))
    if saved is None or saved.url != address or not saved.token:
        raise NotSignedInError(f"not signed in at {address}: {LOGIN_HINT}")
    return saved


def _of_this_machine(*, starts: bool) -> Access | None:
    """What runs here; its token is empty where it is not this user's."""
    found = local_stack.running() or (local_stack.started() if starts else None)
    return None if found is None else Access(normal_url(found.url), found.token)


def ask_token(url: str) -> str:
    """Read a token from the terminal without echo; without a terminal, a line of standard input."""
    if sys.stdin.isatty():
        return checked_token(getpass.getpass(f"Personal API token for {url} (account page of the web interface): "))
    return checked_token(sys.stdin.readline())


def save(access: Access) -> Path:
    """Write the configuration file, readable by its owner only. Raises ``OSError``."""
    path = config_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".part")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        if hasattr(os, "fchmod"):  # not on Windows before Python 3.13
            os.fchmod(descriptor, 0o600)
        file.write(f"url = {json.dumps(access.url)}\ntoken = {json.dumps(access.token)}\n")
    temporary.replace(path)
    return path


def normal_url(text: str) -> str:
    """The address without a slash at its end. Raises ``UsageError`` where it is no http address."""
    try:
        url = httpx2.URL(text.strip())
    except httpx2.InvalidURL as error:
        raise UsageError(f"--url: {error}") from error
    if url.scheme not in {"http", "https"} or not url.host:
        raise UsageError(f"--url: {text} is not an address like http://lab:8400")
    return str(url).rstrip("/")


def checked_token(text: str) -> str:
    """The token, if an HTTP header can carry it. Raises ``UsageError``, which does not contain the token."""
    token = text.strip()
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise UsageError("--token: that is not a token")
    return token


def _saved() -> Access | None:
    path = config_file()
    try:
        content = tomllib.loads(path.read_text())
        return Access(normal_url(content["url"]), checked_token(content["token"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, AttributeError, UsageError) as error:
        raise UsageError(f"{path} is not usable, run `ngxlab login` again: {type(error).__name__}") from error
