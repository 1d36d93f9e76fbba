"""What an experiment has no place for, and why: patterns of directives with the reason that is shown."""

import re
from collections.abc import Sequence

from ngxlab_contracts.sentences import Sentence, say

_MAIN: Sequence[tuple[str, Sentence]] = (
    (r"user|pid|daemon|master_process|lock_file|working_directory", say("ngxlab starts nginx, as a user of its own")),
    (r"error_log", say("ngxlab reads the error log, from a file of the trial")),
    (r"worker_rlimit_nofile", say("the owner of the host says how many files a trial may open")),
    (r"worker_rlimit_core|debug_.*|google_perftools.*", say("it is no part of what is measured")),
    (r"env", say("nginx starts with an environment of its own")),
    (r"load_module", say("the owner of a host names the modules that may be loaded there; add it to main once it is")),
    (r"stream", say("the server of http gets the load; a configuration of stream alone passes on connections")),
    (r"mail", say("experiments are about HTTP")),
    (r"ssl_engine", say("it needs a device of the host")),
)
_HTTP: Sequence[tuple[str, Sentence]] = (
    (r"http2|http3.*|quic_.*", say("the load speaks HTTP/1.1; let a stream speak another version, and add it again")),
    (
        r"ssl_(certificate|certificate_key|dhparam|password_file)",
        say("ngxlab makes a certificate for the run"),
    ),
    (
        r"ssl_(client_certificate|trusted_certificate|crl|verify_.*|ocsp.*|stapling.*)",
        say("the certificate of a run has no issuer, and load generators have no certificates"),
    ),
    (r"ssl_session_ticket_key", say("nginx makes a key for the trial")),
    (
        r"(proxy|grpc|uwsgi)_ssl_(certificate|certificate_key|trusted_certificate|crl|password_file|verify.*)",
        say("the certificates of upstream servers are made for the trial, and nothing can verify them"),
    ),
    (r"resolver.*", say("there is no name to look up: upstream servers are declared")),
    (r".*_temp_path", say("ngxlab keeps temporary files in the trial's folder")),
    (r"auth_jwt.*", say("the load has no token")),
    (r"error_log", say("ngxlab reads the error log, from a file of the trial")),
    (r"stub_status|status_zone|api", say("ngxlab reads nginx's counters from a port of its own")),
    (r"(\w+_by_lua\w*|lua_.*|js_.*|perl.*|modsecurity.*)", say("only built-in parts may run code")),
    (r"geoip.*|secure_link.*|image_filter.*|xslt.*", say("it reads files of the host")),
    (r"more_.*|echo.*|vhost_traffic_status.*|pagespeed.*|passenger.*", say("it is of a module that stock nginx lacks")),
    (
        r"http2_push.*|spdy_.*|http2_(recv|idle|max_requests|max_field|max_header).*",
        say("newer versions of nginx lack it"),
    ),
    (
        r"limit_zone|gzip_hash|gzip_window|gzip_no_buffer|connections|optimize_server_names",
        say("newer versions of nginx lack it"),
    ),
)
_CONTEXTS = {"main": _MAIN, "events": ()}


def reason(name: str, context: str) -> Sentence | None:
    """Why a directive is left out in this context; None for others."""
    patterns = _CONTEXTS.get(context, _HTTP)
    return next((why for pattern, why in patterns if re.fullmatch(pattern, name)), None)
