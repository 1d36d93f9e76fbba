"""The nginx under test: configuration, test, start, supervision and end."""

from ngxlab_worker.nginx.error_log import ErrorLog, LogFinding, scan_error_log
from ngxlab_worker.nginx.process import NginxError, NginxProcess
from ngxlab_worker.nginx.server import NginxServer, UpstreamServer

__all__ = ["ErrorLog", "LogFinding", "NginxError", "NginxProcess", "NginxServer", "UpstreamServer", "scan_error_log"]
