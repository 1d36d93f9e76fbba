"""What nginx brings itself: variables, files that configurations include, and since when some directives exist."""

import re
from collections.abc import Mapping

VARIABLES = frozenset(
    """
    ancient_browser args binary_remote_addr body_bytes_sent bytes_sent connection connection_requests connection_time
    connections_active connections_reading connections_waiting connections_writing content_length content_type
    date_gmt date_local document_root document_uri fastcgi_path_info fastcgi_script_name host hostname http2 http3
    https invalid_referer is_args is_request_port limit_conn_status limit_rate limit_req_status modern_browser msec
    msie nginx_version pid pipe proxy_add_x_forwarded_for proxy_host proxy_port proxy_protocol_addr
    proxy_protocol_port proxy_protocol_server_addr proxy_protocol_server_port query_string realip_remote_addr
    realip_remote_port realpath_root remote_addr remote_port remote_user request request_body request_body_file
    request_completion request_filename request_id request_length request_method request_port request_time
    request_uri scheme server_addr server_name server_port server_protocol slice_range ssl_alpn_protocol ssl_cipher
    ssl_ciphers ssl_client_cert ssl_client_escaped_cert ssl_client_fingerprint ssl_client_i_dn
    ssl_client_i_dn_legacy ssl_client_raw_cert ssl_client_s_dn ssl_client_s_dn_legacy ssl_client_serial
    ssl_client_v_end ssl_client_v_remain ssl_client_v_start ssl_client_verify ssl_curve ssl_curves ssl_early_data
    ssl_protocol ssl_server_name ssl_session_id ssl_session_reused status tcpinfo_rcv_space tcpinfo_rtt
    tcpinfo_rttvar tcpinfo_snd_cwnd time_iso8601 time_local uid_got uid_reset uid_set upstream_addr
    upstream_bytes_received upstream_bytes_sent upstream_cache_status upstream_connect_time upstream_header_time
    upstream_response_length upstream_response_time upstream_status uri gzip_ratio brotli_ratio zstd_ratio
    """.split()  # noqa: SIM905 — as the lists of directives are written
)
"""nginx's "Alphabetical index of variables", without those of modules that stock builds load on demand."""

FAMILIES = re.compile(
    r"(arg|cookie|http|proxy_protocol_tlv|sent_http|sent_trailer|upstream_cookie|upstream_http|upstream_trailer)_.+|[0-9]"
)
"""Variables whose names are made of what they are about, and captures."""

SINCE: Mapping[str, tuple[int, ...]] = {
    "add_header_inherit": (1, 29, 3),
    "client_body_early_read": (1, 31, 5),
    "early_hints": (1, 29, 0),
    "http2": (1, 25, 1),
    "http3": (1, 25, 0),
    "http3_hq": (1, 25, 0),
    "http3_max_concurrent_streams": (1, 25, 0),
    "http3_stream_buffer_size": (1, 25, 0),
    "keepalive_min_timeout": (1, 27, 4),
    "least_time": (1, 31, 0),
    "max_headers": (1, 29, 8),
    "proxy_pass_trailers": (1, 27, 2),
    "proxy_socket_rcvbuf": (1, 31, 3),
    "proxy_socket_sndbuf": (1, 31, 3),
    "quic_active_connection_id_limit": (1, 25, 0),
    "quic_gso": (1, 25, 0),
    "quic_retry": (1, 25, 0),
    "ssl_certificate_cache": (1, 27, 4),
    "ssl_certificate_compression": (1, 29, 1),
    "ssl_object_cache_inheritable": (1, 27, 4),
    "ssl_reject_handshake": (1, 19, 4),
    "sticky": (1, 29, 6),
}
"""The first version of nginx that has a directive, where hosts have older ones."""

MODULES: tuple[tuple[str, str], ...] = (
    (r"brotli.*", "http_brotli_filter_module"),
    (r"zstd.*", "http_zstd_filter_module"),
    (r"http3.*|quic.*", "http_v3_module"),
    (r"http2.*|grpc_.*", "http_v2_module"),
    (r"aio|thread_pool", "threads"),
    (r"slice", "http_slice_module"),
    (r"flv", "http_flv_module"),
    (r"mp4.*", "http_mp4_module"),
    (r"sub_filter.*", "http_sub_module"),
    (r"gunzip.*", "http_gunzip_module"),
    (r"gzip_static", "http_gzip_static_module"),
    (r"auth_request.*", "http_auth_request_module"),
    (r"real_ip.*|set_real_ip_from", "http_realip_module"),
    (r"add(_before|_after)_body|addition_types", "http_addition_module"),
    (r"random_index", "http_random_index_module"),
    (r"ssl_.*", "http_ssl_module"),
)
"""Directives, as a pattern, of modules that a build may lack."""

_MIME_TYPES = """
types {
    text/html html htm shtml; text/css css; text/xml xml; image/gif gif; image/jpeg jpeg jpg; application/javascript
    js; application/atom+xml atom; application/rss+xml rss; text/mathml mml; text/plain txt;
    text/vnd.sun.j2me.app-descriptor jad; text/vnd.wap.wml wml; text/x-component htc; image/avif avif; image/png
    png; image/svg+xml svg svgz; image/tiff tif tiff; image/vnd.wap.wbmp wbmp; image/webp webp; image/x-icon ico;
    image/x-jng jng; image/x-ms-bmp bmp; font/woff woff; font/woff2 woff2; application/java-archive jar war ear;
    application/json json; application/mac-binhex40 hqx; application/msword doc; application/pdf pdf;
    application/postscript ps eps ai; application/rtf rtf; application/vnd.apple.mpegurl m3u8;
    application/vnd.google-earth.kml+xml kml; application/vnd.google-earth.kmz kmz; application/vnd.ms-excel xls;
    application/vnd.ms-fontobject eot; application/vnd.ms-powerpoint ppt;
    application/vnd.oasis.opendocument.graphics odg; application/vnd.oasis.opendocument.presentation odp;
    application/vnd.oasis.opendocument.spreadsheet ods; application/vnd.oasis.opendocument.text odt;
    application/vnd.openxmlformats-officedocument.presentationml.presentation pptx;
    application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx;
    application/vnd.openxmlformats-officedocument.wordprocessingml.document docx; application/vnd.wap.wmlc wmlc;
    application/wasm wasm; application/x-7z-compressed 7z; application/x-cocoa cco; application/x-java-archive-diff
    jardiff; application/x-java-jnlp-file jnlp; application/x-makeself run; application/x-perl pl pm;
    application/x-pilot prc pdb; application/x-rar-compressed rar; application/x-redhat-package-manager rpm;
    application/x-sea sea; application/x-shockwave-flash swf; application/x-stuffit sit; application/x-tcl tcl tk;
    application/x-x509-ca-cert der pem crt; application/x-xpinstall xpi; application/xhtml+xml xhtml;
    application/xspf+xml xspf; application/zip zip; application/octet-stream bin exe dll; application/octet-stream
    deb; application/octet-stream dmg; application/octet-stream iso img; application/octet-stream msi msp msm;
    audio/midi mid midi kar; audio/mpeg mp3; audio/ogg ogg; audio/x-m4a m4a; audio/x-realaudio ra; video/3gpp 3gpp
    3gp; video/mp2t ts; video/mp4 mp4; video/mpeg mpeg mpg; video/quicktime mov; video/webm webm; video/x-flv flv;
    video/x-m4v m4v; video/x-mng mng; video/x-ms-asf asx asf; video/x-ms-wmv wmv; video/x-msvideo avi;
}
"""
_PROXY_PARAMS = """
proxy_set_header Host $http_host;
proxy_set_header X-Real-IP $remote_addr;
proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
proxy_set_header X-Forwarded-Proto $scheme;
"""
_CGI = """
PARAM QUERY_STRING $query_string; PARAM REQUEST_METHOD $request_method; PARAM CONTENT_TYPE $content_type;
PARAM REQUEST_URI $request_uri; PARAM DOCUMENT_URI $document_uri;
PARAM DOCUMENT_ROOT $document_root; PARAM SERVER_PROTOCOL $server_protocol; PARAM REQUEST_SCHEME $scheme;
PARAM HTTPS $https if_not_empty; PARAM REMOTE_ADDR $remote_addr; PARAM REMOTE_PORT $remote_port;
PARAM SERVER_PORT $server_port; PARAM SERVER_NAME $server_name;
"""
"""What fastcgi_params, uwsgi_params and scgi_params have in common."""
_LENGTH = "PARAM CONTENT_LENGTH $content_length;"
"""nginx sends it by itself in SCGI."""

_FASTCGI = f"""{(_CGI + _LENGTH).replace("PARAM", "fastcgi_param")}
fastcgi_param SCRIPT_NAME $fastcgi_script_name; fastcgi_param GATEWAY_INTERFACE CGI/1.1;
fastcgi_param SERVER_SOFTWARE nginx/$nginx_version; fastcgi_param SERVER_ADDR $server_addr;
fastcgi_param REDIRECT_STATUS 200;
"""
_SCRIPT = "fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;"
_FASTCGI_PHP = f"""fastcgi_split_path_info ^(.+?\\.php)(/.*)$; set $path_info $fastcgi_path_info;
fastcgi_param PATH_INFO $path_info; fastcgi_index index.php; {_SCRIPT} {_FASTCGI}"""
KNOWN_FILES: Mapping[str, str] = {
    "mime.types": _MIME_TYPES,
    "proxy_params": _PROXY_PARAMS,
    "fastcgi_params": _FASTCGI,
    "fastcgi.conf": f"{_SCRIPT}{_FASTCGI}",
    "fastcgi-php.conf": _FASTCGI_PHP,
    "uwsgi_params": (_CGI + _LENGTH + "PARAM PATH_INFO $document_uri;").replace("PARAM", "uwsgi_param"),
    "scgi_params": f"{_CGI.replace('PARAM', 'scgi_param')}scgi_param SCGI 1;",
}
"""Files that packages of nginx bring, by name: nginx's own types and parameters, and Debian's headers for upstream
servers and snippet for PHP, without its ``try_files``, which asks for a script."""
