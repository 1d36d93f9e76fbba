"""The certificates that a trial's servers show, and a file of passwords: made on this host, worth nothing elsewhere."""

import os
import shutil
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path

from ngxlab_contracts.trials import CertificateKey
from ngxlab_policy.arguments import USER

from ngxlab_worker.nginx.process import NginxError
from ngxlab_worker.sandbox import RunAs

CERTIFICATE_DAYS = 2
OPENSSL_TIMEOUT_S = 120.0
"""To make an RSA key of 4096 bits takes a second or so, and far longer where all CPUs are busy."""
_KEY_OPTIONS: dict[CertificateKey, tuple[str, ...]] = {
    "p256": ("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1"),
    "rsa2048": ("-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"),
    "rsa3072": ("-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:3072"),
    "rsa4096": ("-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:4096"),
}


def make_certificate(
    folder: Path, address: str, run_as: RunAs | None, key: CertificateKey = "p256", chain: int = 1
) -> None:
    """``folder``/tls.crt and tls.key (mode 0600), owned by the user that nginx runs as.

    tls.crt has ``chain`` certificates: that of the server, and those that each signed the one before; the last has
    signed itself. They share one key, which the agent makes once: what a handshake costs depends on its kind and on the
    size of what is sent. Raises ``NginxError`` where openssl is missing or fails.
    """
    private = folder / "tls.key"
    _keep(private, _private_key(key), run_as)
    issuers: list[bytes] = []
    for rank in reversed(range(chain)):
        issuers.insert(0, _signed(private, address, rank, issuers[0] if issuers else None))
    _keep(folder / "tls.crt", b"".join(issuers), run_as)


def make_passwords(folder: Path, run_as: RunAs | None) -> None:
    """``folder``/htpasswd, in which the user ngxlab has the password ngxlab, as htpasswd(1) hashes it: MD5, a thousand
    times. Raises ``NginxError`` where openssl is missing or fails."""
    _keep(folder / "htpasswd", USER.encode() + b":" + _openssl("passwd", "-apr1", USER), run_as)


@lru_cache(maxsize=len(_KEY_OPTIONS))
def _private_key(key: CertificateKey) -> bytes:
    """One of each kind for as long as the agent lives: trials need not wait for a long one again and again."""
    return _openssl("genpkey", *_KEY_OPTIONS[key])


def _signed(private: Path, address: str, rank: int, issuer: bytes | None) -> bytes:
    """The certificate with ``rank`` others before it: the server's own has none. Takes about 10 ms."""
    name = "/CN=ngxlab trial" if rank == 0 else f"/O=ngxlab/CN=ngxlab trial authority {rank}"
    command = ["req", "-x509", "-key", str(private), "-days", str(CERTIFICATE_DAYS), "-subj", name]
    command += ["-addext", f"subjectAltName=IP:{address}"] if rank == 0 else []
    if issuer is None:
        return _openssl(*command)
    with tempfile.NamedTemporaryFile(dir=private.parent, suffix=".crt") as above:
        above.write(issuer)
        above.flush()
        return _openssl(*command, "-CA", above.name, "-CAkey", str(private))


def _openssl(*arguments: str) -> bytes:
    program = shutil.which("openssl")
    if program is None:
        raise NginxError("openssl-missing", "TLS needs the program openssl on this host: install the package openssl")
    command = [program, *arguments]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=OPENSSL_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        reason = f"openssl {arguments[0]} took more than {OPENSSL_TIMEOUT_S:g} s: this host is too busy"
        raise NginxError("certificate-failed", reason) from error
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip()
        raise NginxError("certificate-failed", f"openssl ended with {done.returncode}: {said}")
    return done.stdout


def _keep(path: Path, content: bytes, run_as: RunAs | None) -> None:
    """Always a new file: nginx may write in the folder, and a link there must not lead the agent elsewhere."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as file:
        file.write(content)
        if run_as is not None:
            os.fchown(file.fileno(), run_as.uid, run_as.gid)
