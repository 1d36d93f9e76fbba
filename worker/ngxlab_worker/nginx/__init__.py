"""The nginx under test: configuration, test, start, supervision and end."""

from ngxlab_worker.nginx.error_log import ErrorLog, LogFinding, scan_error_log
from ngxlab_worker.nginx.process import NginxError, NginxProcess
from ngxlab_worker.nginx.responder import PROGRAM as RESPONDER
from ngxlab_worker.nginx.responder import Responder, upstream_server
from ngxlab_worker.nginx.server import NginxServer, UpstreamServer

__all__ = [
    "RESPONDER",
    "ErrorLog",
    "LogFinding",
    "NginxError",
    "NginxProcess",
    "NginxServer",
    "Responder",
    "UpstreamServer",
    "scan_error_log",
    "upstream_server",
]
