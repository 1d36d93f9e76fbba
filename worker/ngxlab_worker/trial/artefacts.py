"""What a trial keeps of its servers. It is read after they have ended, so that their last log lines are included."""

from ngxlab_contracts.telemetry import TemporaryFiles

from ngxlab_worker.core.clock import HostClock
from ngxlab_worker.nginx import ErrorLog, NginxServer, scan_error_log
from ngxlab_worker.nginx.process import NginxProcess
from ngxlab_worker.trial.folder import read_bounded
from ngxlab_worker.trial.recorder import LONGEST_ARTEFACT, Recorder
from ngxlab_worker.upstream_servers import UpstreamServer


def keep_nginx(recorder: Recorder, nginx: NginxServer, clock: HostClock) -> None:
    """Configuration, build and error log of the nginx under test; a note for each kind of warning in the log, and
    how many bodies went to temporary files according to it."""
    log = _keep(recorder, nginx, whose="nginx's", config_name="nginx.conf", log_name="error.log")
    files = {"requests": log.request_files, "responses": log.response_files, "log_bytes": log.size_bytes}
    recorder.event(TemporaryFiles(t_us=clock.now_us(), **files))
    if nginx.build:
        recorder.artefact("nginx-V.txt", nginx.build)


def keep_upstream(recorder: Recorder, server: UpstreamServer) -> None:
    """The same for an upstream server, under its key."""
    prefix = f"upstream-{server.key}"
    _keep(
        recorder,
        server,
        whose=f"upstream server {server.key}'s",
        config_name=f"{prefix}.conf",
        log_name=f"{prefix}.log",
    )


def _keep(recorder: Recorder, server: NginxProcess, *, whose: str, config_name: str, log_name: str) -> ErrorLog:
    log = scan_error_log(server.error_log)
    for finding in log.findings:
        recorder.note("error", finding.code, f"{finding.count} times in {whose} error log: {finding.example}")
    # As it is on disk at the end: that is what the last reload read.
    config = read_bounded(server.config_file, LONGEST_ARTEFACT)
    for name, text in ((config_name, config), (log_name, read_bounded(server.error_log, LONGEST_ARTEFACT))):
        if text:
            recorder.artefact(name, text)
    return log
