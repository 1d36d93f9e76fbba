"""An authority of one's own, and a certificate for an address that it signed."""

from dataclasses import dataclass
from pathlib import Path

from scripts.console import run

_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
_HINT = "see openssl's message above"
_OF_A_SERVER = """\
basicConstraints=critical,CA:FALSE
extendedKeyUsage=serverAuth
subjectKeyIdentifier=hash
authorityKeyIdentifier=keyid
"""


@dataclass(frozen=True)
class Certificates:
    authority: Path
    certificate: Path
    key: Path


def make(folder: Path, address: str) -> Certificates:
    """Valid for two days, for the IP address ``address``."""
    made = Certificates(folder / "authority.pem", folder / "server.pem", folder / "server.key")
    authority_key, request, extensions = folder / "authority.key", folder / "server.csr", folder / "server.ext"
    run(
        ["openssl", "req", "-x509", *_KEY, "-days", "2", "-subj", "/CN=own authority",
         "-addext", "keyUsage=critical,keyCertSign,cRLSign",  # Python 3.13 asks for it
         "-keyout", authority_key, "-out", made.authority], hint=_HINT,
    )  # fmt: skip
    run(["openssl", "req", *_KEY, "-subj", "/CN=lab", "-keyout", made.key, "-out", request], hint=_HINT)
    extensions.write_text(f"subjectAltName=IP:{address}\n{_OF_A_SERVER}")
    run(
        ["openssl", "x509", "-req", "-in", request, "-CA", made.authority, "-CAkey", authority_key, "-CAcreateserial",
         "-days", "2", "-extfile", extensions, "-out", made.certificate], hint=_HINT,
    )  # fmt: skip
    made.key.chmod(0o644)  # two users of two containers read it; the folder is closed
    return made
