"""What a client is shown by a real nginx: the kind and size of the key, and the number of certificates."""

import re
import shutil
import subprocess
from base64 import b64encode
from http.client import HTTPConnection
from pathlib import Path
from uuid import uuid4

import pytest
from ngxlab_contracts.trials import CertificateKey, NginxSpec
from ngxlab_worker.nginx import certificate
from ngxlab_worker.nginx.process import NginxError
from ngxlab_worker.nginx.server import NginxServer
from ngxlab_worker.sandbox import Isolation, Sandbox, resolve_run_as
from ngxlab_worker.trial.folder import make_folder
from tests.support.specs import CONFIG, NGINX

TLS = "listen 127.0.0.1:@@http_port@@ ssl; ssl_certificate @@folder@@/tls.crt; ssl_certificate_key @@folder@@/tls.key;"
TLS_CONFIG = CONFIG.replace("listen 127.0.0.1:@@http_port@@;", TLS)
PEM = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)
SHOWN: dict[CertificateKey, str] = {
    "p256": "ASN1 OID: prime256v1",
    "rsa2048": "Public-Key: (2048 bit)",
    "rsa3072": "Public-Key: (3072 bit)",
    "rsa4096": "Public-Key: (4096 bit)",
}


def server(folder: Path, user: str | None, key: CertificateKey, chain: int) -> NginxServer:
    run_as = resolve_run_as(user)
    spec = NginxSpec(binary=NGINX, config=TLS_CONFIG, workers=2, tls=True, certificate_key=key, certificate_chain=chain)
    sandbox = Sandbox(Isolation.NAMESPACE, run_as)
    return NginxServer(spec, make_folder(folder, uuid4(), run_as), sandbox, lambda _: None)


def text_of(pem: str) -> str:
    shown = subprocess.run(
        ["openssl", "x509", "-noout", "-text"], input=pem, capture_output=True, text=True, check=True
    )
    return shown.stdout


def served(nginx: NginxServer) -> list[str]:
    """The certificates of one handshake, the server's own first."""
    (port,) = nginx.values.http_ports
    command = ["openssl", "s_client", "-connect", f"127.0.0.1:{port}", "-showcerts"]
    shown = subprocess.run(command, input="", capture_output=True, text=True, check=False, timeout=30)
    sent = shown.stdout.partition("Certificate chain")[2].partition("\nServer certificate\n")[0]
    return [text_of(pem) for pem in PEM.findall(sent)]


@pytest.mark.parametrize(("key", "chain"), [("p256", 1), ("rsa2048", 1), ("rsa3072", 3), ("rsa4096", 2), ("p256", 5)])
def test_a_client_is_shown_what_was_asked_for(
    agent_folder: Path, user: str | None, key: CertificateKey, chain: int
) -> None:
    nginx = server(agent_folder, user, key, chain)
    nginx.configure()
    nginx.start(60)
    try:
        shown = served(nginx)
    finally:
        nginx.stop()
    assert len(shown) == chain
    assert all(SHOWN[key] in text for text in shown)
    subjects = [re.search(r"Subject: (.+)", text)[1] for text in shown]  # type: ignore[index]
    issuers = [re.search(r"Issuer: (.+)", text)[1] for text in shown]  # type: ignore[index]
    assert issuers == [*subjects[1:], subjects[-1]]
    assert len(set(subjects)) == chain
    assert "IP Address:127.0.0.1" in shown[0]


def test_a_chain_is_one_that_openssl_verifies(tmp_path: Path) -> None:
    certificate.make_certificate(tmp_path, "127.0.0.1", None, "p256", 3)
    own, *issuers = PEM.findall((tmp_path / "tls.crt").read_text())
    for name, pems in (("own", [own]), ("between", issuers[:-1]), ("root", issuers[-1:])):
        (tmp_path / name).write_text("\n".join(pems))
    command = ["openssl", "verify", "-CAfile", "root", "-untrusted", "between", "-verify_ip", "127.0.0.1", "own"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)


def test_only_nginx_reads_the_key(agent_folder: Path, user: str | None) -> None:
    nginx = server(agent_folder, user, "p256", 1)
    nginx.configure()
    private = nginx.values.folder / "tls.key"
    assert private.stat().st_mode & 0o777 == 0o600
    run_as = resolve_run_as(user)
    assert run_as is None or private.stat().st_uid == run_as.uid


def test_without_openssl_the_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    certificate._private_key.cache_clear()
    with pytest.raises(NginxError, match="install the package openssl"):
        certificate.make_certificate(tmp_path, "127.0.0.1", None)


def test_the_user_of_a_made_file_of_passwords_is_let_in(agent_folder: Path, user: str | None) -> None:
    run_as = resolve_run_as(user)
    closed = "auth_basic closed; auth_basic_user_file @@folder@@/htpasswd; try_files /none =404;"
    spec = NginxSpec(binary=NGINX, config=CONFIG.replace('return 200 "OK\\n";', closed), workers=2)
    sandbox = Sandbox(Isolation.NAMESPACE, run_as)
    nginx = NginxServer(spec, make_folder(agent_folder, uuid4(), run_as), sandbox, lambda _: None)
    nginx.configure()
    nginx.start(60)
    (port,) = nginx.values.http_ports
    statuses = []
    try:
        for password in ("ngxlab", "other", None):
            connection = HTTPConnection("127.0.0.1", port, timeout=30)
            named = b64encode(f"ngxlab:{password}".encode()).decode()
            connection.request("GET", "/", headers={"Authorization": f"Basic {named}"} if password else {})
            statuses.append(connection.getresponse().status)
            connection.close()
    finally:
        nginx.stop()
    assert statuses == [404, 401, 401]


def test_a_link_in_the_folder_leads_nowhere(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "trial", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.write_text("mine")
    for name in ("tls.key", "tls.crt", "htpasswd"):
        (folder / name).symlink_to(elsewhere)
    certificate.make_certificate(folder, "127.0.0.1", None)
    certificate.make_passwords(folder, None)
    assert elsewhere.read_text() == "mine"
    assert {(path.name, path.is_symlink(), path.stat().st_mode & 0o777) for path in folder.iterdir()} == {
        ("tls.key", False, 0o600), ("tls.crt", False, 0o600), ("htpasswd", False, 0o600),
    }  # fmt: skip
