"""What people ask of nginx most: no trial of it is void for doing what was asked.

Other questions of theirs are beside the checks that voided them: cached files in ``test_nginx``, access logs in
``test_between_trials``, upstream servers that close in ``test_host``, caches and gzip in ``test_ineffective``, and
resumption in ``test_tls``.
"""

import pytest
from ngxlab_contracts.files import FileSet
from ngxlab_contracts.trials import TrialSpec
from tests.checks.bench import Bench
from tests.checks.test_healthy import ONLY_ON_A_QUIET_MACHINE
from tests.checks.test_ineffective import keeping
from tests.checks.test_nginx import with_files
from tests.support.specs import CONFIG, trial_spec
from tests.support.streams import open_loop
from tests.trial.test_answers import over_tls

SHORT = {"warmup_s": 0.2, "measure_s": 0.6}
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
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_nothing_is_void(bench: Bench, question: str) -> None:
    results = bench.run(QUESTIONS[question]).results
    found = {key: result.message for key, result in results.items() if result.severity == "error"}
    assert {key: said for key, said in found.items() if key not in ONLY_ON_A_QUIET_MACHINE} == {}
