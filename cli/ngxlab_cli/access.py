"""Which server, and as whom: options go before the environment, and that before what ``ngxlab login`` has kept."""

import getpass
import json
import os
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from ngxlab_cli.errors import NotSignedInError, UsageError

LOGIN_HINT = "`ngxlab login --url URL`, or set NGXLAB_URL and NGXLAB_TOKEN"


@dataclass(frozen=True)
class Access:
    """``url`` has no slash at its end. ``token`` is a personal API token; never print it."""

    url: str
    token: str = field(repr=False)


def config_file() -> Path:
    """Where ``ngxlab login`` keeps the token (XDG base directories)."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "ngxlab" / "config.toml"


def find_access(url: str | None, token: str | None) -> Access:
    """Raises ``NotSignedInError`` and ``UsageError``. A kept token goes to the server it was kept for, and no other."""
    kept = _kept()
    wanted = url or os.environ.get("NGXLAB_URL")
    address = normal_url(wanted) if wanted else kept.url if kept else None
    if address is None:
        raise NotSignedInError(f"which server? {LOGIN_HINT}")
    given = token or os.environ.get("NGXLAB_TOKEN")
    if given:
        return Access(address, sound_token(given))
    if kept is None or kept.url != address:
        raise NotSignedInError(f"not signed in at {address}: {LOGIN_HINT}")
    return kept


def ask_token(url: str) -> str:
    """From the terminal without echo, or a line of standard input where there is no terminal."""
    if sys.stdin.isatty():
        return sound_token(getpass.getpass(f"Personal API token for {url} (account page of the web interface): "))
    return sound_token(sys.stdin.readline())


def keep(access: Access) -> Path:
    """Write the config file, readable for its owner only. Raises ``OSError``."""
    path = config_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".part")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        os.fchmod(descriptor, 0o600)
        file.write(f"url = {json.dumps(access.url)}\ntoken = {json.dumps(access.token)}\n")
    temporary.rename(path)
    return path


def normal_url(text: str) -> str:
    """Raises ``UsageError`` for what is not an http address."""
    try:
        url = httpx.URL(text.strip())
    except httpx.InvalidURL as error:
        raise UsageError(f"--url: {error}") from error
    if url.scheme not in {"http", "https"} or not url.host:
        raise UsageError(f"--url: {text} is not an address such as http://lab:8400")
    return str(url).rstrip("/")


def sound_token(text: str) -> str:
    """What can stand in a header. Raises ``UsageError``, without the token in it."""
    token = text.strip()
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise UsageError("--token: that is not a token")
    return token


def _kept() -> Access | None:
    path = config_file()
    try:
        content = tomllib.loads(path.read_text())
        return Access(normal_url(content["url"]), sound_token(content["token"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, AttributeError, UsageError) as error:
        raise UsageError(f"{path} cannot be used, run `ngxlab login` again: {type(error).__name__}") from error
