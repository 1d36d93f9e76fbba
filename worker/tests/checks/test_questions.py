"""What people ask of nginx most: no trial of it is void for doing what was asked, and no comparison for comparing it.

``ASKED`` has where each question is asked of a real nginx: as a recipe (``test_recipes`` runs both arms), or here.
Single checks that voided them have their own tests: cached files in ``test_nginx``, access logs in
``test_between_trials``, upstream servers that close in ``test_network``, caches and gzip in ``test_ineffective``, and
TLS in ``test_tls``; hosts that start apart are in ``tests/fleet``.
"""

from typing import Any

import pytest
from ngxlab.recipes.registry import recipes
from ngxlab_contracts.files import FileSet
from ngxlab_contracts.trials import TrialSpec
from tests.checks.bench import Bench
from tests.checks.test_healthy import ONLY_ON_A_QUIET_MACHINE
from tests.checks.test_ineffective import keeping
from tests.checks.test_nginx import with_files
from tests.support.specs import CONFIG, trial_spec
from tests.support.streams import open_loop
from tests.trial.test_answers import over_tls

SHORT: dict[str, Any] = {"warmup_s": 0.2, "measure_s": 0.6}
PLACE = 'location / { return 200 "OK\\n"; }'
LIMIT = "access_log off; limit_req_zone $binary_remote_addr zone=r:1m rate=200r/s; limit_req_status 429;"


def asked(place: str, http: str = "access_log off;", listen: str = "", **stream: object) -> TrialSpec:
    config = CONFIG.replace(PLACE, place).replace("access_log off;", http)
    config = config.replace("127.0.0.1:@@http_port@@;", f"127.0.0.1:@@http_port@@ {listen};")
    return trial_spec(config=config, stream=stream, **SHORT)


def large(how: str) -> TrialSpec:
    """Few responses, each of 8 MB."""
    spec = asked(f"location / {{ root @@folder@@/files; {how} }}", path="/data/0", connections=2)
    return with_files(spec, FileSet(folder="data", count=1, size_bytes=8 << 20))


def limited() -> TrialSpec:
    """300 requests/s, of which nginx lets 200 pass, by an engine that tells the others apart."""
    spec = asked("location / { limit_req zone=r burst=50 nodelay; empty_gif; }", LIMIT)
    return spec.model_copy(update={"streams": [open_loop(300, rejected_statuses=["429"])]})


QUESTIONS: dict[str, TrialSpec] = {
    "connections to upstream servers are closed": keeping(
        **{"keepalive 64;": "", 'proxy_set_header Connection "";': ""}
    ),
    "proxy_buffering is off": keeping(proxy_pass="proxy_buffering off; proxy_pass"),
    "TLS 1.2 only": over_tls(server="ssl_protocols TLSv1.2;", keep_alive=False),
    "aio threads, large files": large("aio threads; sendfile on; sendfile_max_chunk 512k;"),
    "directio, large files": large("directio 1m;"),
    "limit_req with a burst": limited(),
    "keepalive_requests": asked(PLACE.replace("{ ", "{ keepalive_requests 100; ", 1)),
    "reuseport": asked(PLACE, listen="reuseport", keep_alive=False),
    "worker_cpu_affinity": trial_spec(
        config=CONFIG.replace("worker_processes 2;", "worker_processes 2; worker_cpu_affinity auto;"), **SHORT
    ),
    "an unbuffered access log": asked(PLACE, "access_log @@folder@@/access.log combined;"),
    "clients that limit_rate slows": with_files(
        asked(
            "location / { root @@folder@@/files; limit_rate 200k; proxy_buffering off; }", path="/data/0", connections=8
        ),
        FileSet(folder="data", count=1, size_bytes=20_000),
    ),
}
ASKED: dict[str, list[str]] = {
    "1: upstream servers with and without keep-alive": [
        "upstream-keepalive",
        "connections to upstream servers are closed",
    ],
    "2: gzip": ["gzip-levels"],
    "3a: TLS resumption": ["tls-resumption"],
    "3b: TLS 1.2 or 1.3": ["tls-versions", "TLS 1.2 only"],
    "3c: a certificate with an RSA or an ECDSA key": ["certificate-keys"],
    "4: sendfile, aio, directio": [
        "sendfile",
        "directio",
        "aio threads, large files",
        "directio, large files",
    ],
    "5: open_file_cache": ["open-file-cache"],
    "6: many ask at once for what is not in the cache": ["cache-lock"],
    "7: limit_req with burst": ["limit-req-burst", "limit_req with a burst"],
    "8: numbers of workers": ["worker-processes"],
    "8b: workers bound to CPUs": ["worker_cpu_affinity"],
    "9: HTTP/1.1 or HTTP/2": ["http-versions"],
    "10: access logs": ["access-log", "an unbuffered access log"],
    "11: proxy_buffering, slow clients": [
        "proxy-buffering",
        "proxy_buffering is off",
        "clients that limit_rate slows",
    ],
    "12: keepalive_requests": ["keepalive-requests", "keepalive_requests"],
    "13: reuseport": ["reuseport"],
}
"""WebSocket, the last of seventeen, cannot be asked: no engine speaks it, and a stream with its header is refused."""
NEVER_BY_LOAD = ONLY_ON_A_QUIET_MACHINE - {"accounting"}
"""Counts differ by what is in flight: that voided every question of large files, and no load of the machine should."""


def test_each_question_is_asked() -> None:
    known = recipes().keys() | QUESTIONS.keys()
    assert [one for keys in ASKED.values() for one in keys if one not in known] == []


@pytest.mark.parametrize("question", QUESTIONS)
def test_nothing_is_void(bench: Bench, question: str) -> None:
    results = bench.run(QUESTIONS[question]).results
    found = {key: result.message for key, result in results.items() if result.severity == "error"}
    assert {key: said for key, said in found.items() if key not in NEVER_BY_LOAD} == {}
