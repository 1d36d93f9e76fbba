"""The nginx under test: configured, tested, started, watched and ended."""

from ngxlab_worker.nginx.error_log import ErrorLog, LogFinding, scan_error_log
from ngxlab_worker.nginx.process import NginxError, NginxProcess
from ngxlab_worker.nginx.server import NginxServer

__all__ = ["ErrorLog", "LogFinding", "NginxError", "NginxProcess", "NginxServer", "scan_error_log"]
