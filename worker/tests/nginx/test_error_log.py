"""What is counted in nginx's error log."""

from pathlib import Path

import pytest
from ngxlab_worker.nginx.error_log import MOST_MESSAGES, scan_error_log

LINES = [
    "2026/01/01 00:00:00 [warn] 9#9: 1024 worker_connections are not enough, reusing connections\n",
    "2026/01/01 00:00:00 [warn] 9#9: 1024 worker_connections are not enough, reusing connections\n",
    "2026/01/01 00:00:00 [alert] 9#9: 512 worker_connections are not enough\n",
    "2026/01/01 00:00:00 [error] 9#9: *1 no live upstreams while connecting to upstream\n",
    '2026/01/01 00:00:00 [error] 9#9: task queue "default" queue overflow: 65536 tasks waiting\n',
    "2026/01/01 00:00:00 [crit] 9#9: open() failed\n",
    "2026/01/01 00:00:00 [alert] 9#9: worker process 10 exited on signal 11\n",
    "2026/01/01 00:00:00 [notice] 9#9: start worker processes\n",
]
REQUEST_FILE = (
    "2026/11/21 07:00:00 [warn] 9#9: *3 a client request body is buffered to a temporary file "
    '/t/client_body/0000000001, client: 127.0.0.1, server: , request: "POST / HTTP/1.1", host: "127.0.0.1:1"\n'
)
RESPONSE_FILE = (
    "2026/11/21 07:00:00 [warn] 9#9: *5 an upstream response is buffered to a temporary file "
    "/t/proxy/1/00/0000000001 while reading upstream, client: 127.0.0.1\n"
)


@pytest.mark.parametrize("block_bytes", [1, 50, 1 << 20])
def test_warnings_are_counted_by_kind(tmp_path: Path, block_bytes: int) -> None:
    path = tmp_path / "error.log"
    path.write_text("".join(LINES))
    log = scan_error_log(path, block_bytes)
    assert {finding.code: finding.count for finding in log.findings} == {
        "nginx-connections-reused": 2,
        "nginx-worker-connections": 1,
        "nginx-no-live-upstreams": 1,
        "nginx-queue-overflow": 1,
        "nginx-crit": 1,
        "nginx-alert": 1,
    }
    assert log.findings[0].example.endswith("reusing connections")
    assert log.size_bytes == path.stat().st_size


def test_each_different_alert_is_told(tmp_path: Path) -> None:
    path = tmp_path / "error.log"
    killed = "2026/01/01 00:00:00 [alert] 9#9: worker process {} exited on signal 9\n"
    crashed = "2026/01/01 00:00:00 [alert] 9#9: worker process 12 exited on signal 11\n"
    refused = "2026/01/01 00:00:00 [crit] 9#9: *{} connect() to 127.0.0.1:{} failed (99: Cannot assign)\n"
    lines = [killed.format(10), killed.format(11), crashed, refused.format(4, 80), refused.format(5, 81)]
    path.write_text("".join(lines))
    found = {finding.example.split(": ", 1)[1]: finding.count for finding in scan_error_log(path).findings}
    assert found == {
        "worker process 10 exited on signal 9": 2,
        "worker process 12 exited on signal 11": 1,
        "*4 connect() to 127.0.0.1:80 failed (99: Cannot assign)": 2,
    }


def test_a_log_full_of_different_messages_makes_a_bounded_report(tmp_path: Path) -> None:
    path = tmp_path / "error.log"
    words = ["".join(chr(97 + n // 26**k % 26) for k in range(3)) for n in range(1000)]
    path.write_text("".join(f"2026/01/01 00:00:00 [crit] 9#9: {word} failed\n" for word in words))
    findings = scan_error_log(path).findings
    assert len(findings) <= MOST_MESSAGES + 1
    assert sum(finding.count for finding in findings) == 1000


def test_every_temporary_file_of_a_long_log_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "error.log"
    path.write_text((REQUEST_FILE * 3 + RESPONSE_FILE) * 40_000 + REQUEST_FILE.strip())
    assert path.stat().st_size > 16 << 20
    log = scan_error_log(path)
    assert (log.request_files, log.response_files, log.findings) == (120_001, 40_000, [])


def test_a_log_that_is_not_there_is_empty(tmp_path: Path) -> None:
    log = scan_error_log(tmp_path / "error.log")
    assert (log.findings, log.request_files, log.response_files, log.size_bytes) == ([], 0, 0, 0)
