"""A real OpenID provider for tests: the certified npm package oidc-provider, run by Node on a loopback port."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.paths import BIN, FRONTEND

CLIENT_ID = "ngxlab"
CLIENT_SECRET = "a secret of the tests: %+&=/ and more"


@dataclass(frozen=True)
class OidcProvider:
    """Its login page takes any password; ``people`` says what it knows of a login."""

    issuer: str


@contextmanager
def oidc_provider(redirect_uri: str, people: Mapping[str, Mapping[str, Any]]) -> Iterator[OidcProvider]:
    """``people``: claims by login, e.g. ``email``, ``email_verified``, ``groups``."""
    settings = {
        "client_id": CLIENT_ID,
        "client_secret": CLIENT_SECRET,
        "redirect_uri": redirect_uri,
        "people": {login: dict(claims) for login, claims in people.items()},
    }
    script = Path(__file__).with_name("provider.mjs")
    process = subprocess.Popen(
        [BIN / "node", script, FRONTEND / "package.json", json.dumps(settings)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        issuer = process.stdout.readline().strip()
        if not issuer:
            raise RuntimeError("oidc-provider did not start: are the frontend's packages installed?")
        yield OidcProvider(issuer)
    finally:
        os.killpg(process.pid, signal.SIGTERM)  # of the group: what is started is a wrapper around Node
        process.wait(10)
        if process.stdout is not None:
            process.stdout.close()
