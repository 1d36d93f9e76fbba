"""A self-signed certificate for one trial, made with the openssl program."""

import os
import shutil
import subprocess
from pathlib import Path

from ngxlab_worker.nginx.process import NginxError
from ngxlab_worker.sandbox import RunAs

DAYS = 2
TIMEOUT_S = 10.0


def make_certificate(folder: Path, address: str, run_as: RunAs | None) -> None:
    """``folder``/tls.crt and tls.key (P-256, mode 0600), owned by the user that nginx runs as. Takes about 10 ms.

    Raises ``NginxError`` where openssl is missing or fails.
    """
    program = shutil.which("openssl")
    if program is None:
        raise NginxError("openssl-missing", "TLS needs the program openssl on this host: install the package openssl")
    paths = {name: folder / f"tls.{name}" for name in ("crt", "key")}
    command = [program, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-keyout", str(paths["key"]), "-out", str(paths["crt"]), "-days", str(DAYS)]
    command += ["-subj", "/CN=ngxlab trial", "-addext", f"subjectAltName=IP:{address}"]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    if done.returncode != 0:
        raise NginxError("certificate-failed", f"openssl ended with {done.returncode}: {done.stderr.strip()}")
    for path in paths.values():
        path.chmod(0o600)
        if run_as is not None:
            os.chown(path, run_as.uid, run_as.gid)
