"""The directives that an experiment's configuration may contain: an allow-list, as data.

crossplane knows where nginx allows a directive (from nginx's own source); this list decides whether an experiment may
contain it at all. Left out is what reads or writes files of its own choice, runs code, opens connections of its own
choice, or is ngxlab's to decide. What each directive does: nginx's "Alphabetical index of directives".
"""

from ngxlab_contracts.sentences import Sentence, say

from ngxlab_policy.servers import CALL


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


MAIN = _names(
    """
    load_module pcre_jit ssl_object_cache_inheritable thread_pool timer_resolution worker_cpu_affinity
    worker_priority worker_rlimit_nofile worker_shutdown_timeout
    """
)

EVENTS = _names("accept_mutex accept_mutex_delay epoll_events multi_accept use worker_aio_requests")

UPSTREAM = _names(
    """
    hash ip_hash keepalive keepalive_requests keepalive_time keepalive_timeout least_conn least_time random server
    sticky zone
    """
)
"""``least_time`` and ``sticky`` choose among the group's declared servers, by times that nginx has measured, and by a
cookie, a variable or a table in memory."""

HTTP = _names(
    """
    absolute_redirect access_log add_header add_trailer aio aio_write alias allow autoindex autoindex_exact_size
    autoindex_format autoindex_localtime break charset charset_types chunked_transfer_encoding
    client_body_buffer_size client_body_in_file_only client_body_in_single_buffer client_body_timeout
    client_header_buffer_size client_header_timeout client_max_body_size connection_pool_size default_type deny
    directio directio_alignment disable_symlinks empty_gif error_page etag expires gunzip gunzip_buffers gzip
    gzip_buffers gzip_comp_level gzip_disable gzip_http_version gzip_min_length gzip_proxied gzip_static gzip_types
    gzip_vary http2_body_preread_size http2_chunk_size http2_idle_timeout http2_max_concurrent_streams
    http2_max_field_size http2_max_header_size http2_max_requests http2_recv_buffer_size http2_recv_timeout if
    if_modified_since ignore_invalid_headers index internal keepalive_disable keepalive_requests keepalive_time
    keepalive_timeout large_client_header_buffers limit_conn limit_conn_dry_run limit_conn_log_level
    limit_conn_status limit_conn_zone limit_except limit_rate limit_rate_after limit_req limit_req_dry_run
    limit_req_log_level limit_req_status limit_req_zone lingering_close lingering_time lingering_timeout location
    log_format log_not_found log_subrequest map map_hash_bucket_size map_hash_max_size max_ranges merge_slashes
    msie_padding open_file_cache open_file_cache_errors open_file_cache_min_uses open_file_cache_valid
    output_buffers port_in_redirect postpone_output proxy_buffer_size proxy_buffering proxy_buffers
    proxy_busy_buffers_size proxy_connect_timeout proxy_cookie_domain proxy_cookie_path proxy_force_ranges
    proxy_headers_hash_bucket_size proxy_headers_hash_max_size proxy_hide_header proxy_http_version
    proxy_ignore_client_abort proxy_ignore_headers proxy_intercept_errors proxy_limit_rate proxy_max_temp_file_size
    proxy_method proxy_next_upstream proxy_next_upstream_timeout proxy_next_upstream_tries proxy_pass
    proxy_pass_header proxy_pass_request_body proxy_pass_request_headers proxy_read_timeout proxy_redirect
    proxy_request_buffering proxy_send_lowat proxy_send_timeout proxy_set_body proxy_set_header
    proxy_socket_keepalive proxy_temp_file_write_size read_ahead recursive_error_pages request_pool_size
    reset_timedout_connection return rewrite rewrite_log root satisfy send_lowat send_timeout sendfile
    sendfile_max_chunk server_name server_name_in_redirect server_names_hash_bucket_size server_names_hash_max_size
    server_tokens set split_clients ssl_buffer_size ssl_ciphers ssl_ecdh_curve ssl_prefer_server_ciphers
    ssl_protocols ssl_session_cache ssl_session_tickets ssl_session_timeout sub_filter sub_filter_last_modified
    sub_filter_once sub_filter_types subrequest_output_buffer_size tcp_nodelay tcp_nopush try_files types
    types_hash_bucket_size types_hash_max_size underscores_in_headers uninitialized_variable_warn upstream
    variables_hash_bucket_size variables_hash_max_size

    auth_basic auth_basic_user_file auth_delay

    add_after_body add_before_body addition_types ancient_browser ancient_browser_value auth_request auth_request_set
    charset_map flv geo http2 http3 http3_hq http3_max_concurrent_streams http3_stream_buffer_size
    keepalive_min_timeout mirror mirror_request_body modern_browser modern_browser_value mp4 mp4_buffer_size
    mp4_max_buffer_size mp4_start_key_frame override_charset proxy_bind proxy_cache
    proxy_cache_background_update proxy_cache_bypass proxy_cache_convert_head proxy_cache_key proxy_cache_lock
    proxy_cache_lock_age proxy_cache_lock_timeout proxy_cache_max_range_offset proxy_cache_methods
    proxy_cache_min_uses proxy_cache_path proxy_cache_revalidate proxy_cache_use_stale proxy_cache_valid
    proxy_cookie_flags proxy_no_cache proxy_pass_trailers proxy_ssl_ciphers proxy_ssl_conf_command
    proxy_ssl_name proxy_ssl_protocols proxy_ssl_server_name proxy_ssl_session_reuse proxy_ssl_verify
    proxy_ssl_verify_depth proxy_store proxy_store_access quic_active_connection_id_limit quic_gso quic_retry
    random_index real_ip_header real_ip_recursive set_real_ip_from slice source_charset ssl_conf_command
    ssl_early_data ssl_reject_handshake userid valid_referers

    brotli brotli_buffers brotli_comp_level brotli_min_length brotli_static brotli_types brotli_window
    zstd zstd_buffers zstd_comp_level zstd_min_length zstd_static zstd_types zstd_window

    client_body_buffers client_body_postpone_size

    add_header_inherit client_body_early_read early_hints max_headers proxy_socket_rcvbuf proxy_socket_sndbuf
    ssl_certificate_cache ssl_certificate_compression

    fastcgi_bind fastcgi_buffer_size fastcgi_buffering fastcgi_buffers fastcgi_busy_buffers_size fastcgi_cache
    fastcgi_cache_background_update fastcgi_cache_bypass fastcgi_cache_key fastcgi_cache_lock fastcgi_cache_lock_age
    fastcgi_cache_lock_timeout fastcgi_cache_max_range_offset fastcgi_cache_methods fastcgi_cache_min_uses
    fastcgi_cache_path fastcgi_cache_revalidate fastcgi_cache_use_stale fastcgi_cache_valid fastcgi_catch_stderr
    fastcgi_connect_timeout fastcgi_force_ranges fastcgi_hide_header fastcgi_ignore_client_abort
    fastcgi_ignore_headers fastcgi_index fastcgi_intercept_errors fastcgi_keep_conn fastcgi_limit_rate
    fastcgi_max_temp_file_size fastcgi_next_upstream fastcgi_next_upstream_timeout fastcgi_next_upstream_tries
    fastcgi_no_cache fastcgi_param fastcgi_pass fastcgi_pass_header fastcgi_pass_request_body
    fastcgi_pass_request_headers fastcgi_read_timeout fastcgi_request_buffering fastcgi_send_lowat
    fastcgi_send_timeout fastcgi_socket_keepalive fastcgi_split_path_info fastcgi_store fastcgi_store_access
    fastcgi_temp_file_write_size grpc_bind grpc_buffer_size grpc_connect_timeout grpc_hide_header
    grpc_ignore_headers grpc_intercept_errors grpc_next_upstream grpc_next_upstream_timeout grpc_next_upstream_tries
    grpc_pass grpc_pass_header grpc_read_timeout grpc_send_timeout grpc_set_header grpc_socket_keepalive
    grpc_ssl_ciphers grpc_ssl_name grpc_ssl_protocols grpc_ssl_server_name grpc_ssl_session_reuse grpc_ssl_verify
    grpc_ssl_verify_depth memcached_bind memcached_buffer_size memcached_connect_timeout memcached_force_ranges
    memcached_gzip_flag memcached_next_upstream memcached_next_upstream_timeout memcached_next_upstream_tries
    memcached_pass memcached_read_timeout memcached_send_timeout memcached_socket_keepalive scgi_bind
    scgi_buffer_size scgi_buffering scgi_buffers scgi_busy_buffers_size scgi_cache scgi_cache_background_update
    scgi_cache_bypass scgi_cache_key scgi_cache_lock scgi_cache_lock_age scgi_cache_lock_timeout
    scgi_cache_max_range_offset scgi_cache_methods scgi_cache_min_uses scgi_cache_path scgi_cache_revalidate
    scgi_cache_use_stale scgi_cache_valid scgi_connect_timeout scgi_force_ranges scgi_hide_header
    scgi_ignore_client_abort scgi_ignore_headers scgi_intercept_errors scgi_limit_rate scgi_max_temp_file_size
    scgi_next_upstream scgi_next_upstream_timeout scgi_next_upstream_tries scgi_no_cache scgi_param scgi_pass
    scgi_pass_header scgi_pass_request_body scgi_pass_request_headers scgi_read_timeout scgi_request_buffering
    scgi_send_timeout scgi_socket_keepalive scgi_store scgi_store_access scgi_temp_file_write_size uwsgi_bind
    uwsgi_buffer_size uwsgi_buffering uwsgi_buffers uwsgi_busy_buffers_size uwsgi_cache
    uwsgi_cache_background_update uwsgi_cache_bypass uwsgi_cache_key uwsgi_cache_lock uwsgi_cache_lock_age
    uwsgi_cache_lock_timeout uwsgi_cache_max_range_offset uwsgi_cache_methods uwsgi_cache_min_uses uwsgi_cache_path
    uwsgi_cache_revalidate uwsgi_cache_use_stale uwsgi_cache_valid uwsgi_connect_timeout uwsgi_force_ranges
    uwsgi_hide_header uwsgi_ignore_client_abort uwsgi_ignore_headers uwsgi_intercept_errors uwsgi_limit_rate
    uwsgi_max_temp_file_size uwsgi_modifier1 uwsgi_modifier2 uwsgi_next_upstream uwsgi_next_upstream_timeout
    uwsgi_next_upstream_tries uwsgi_no_cache uwsgi_param uwsgi_pass uwsgi_pass_header uwsgi_pass_request_body
    uwsgi_pass_request_headers uwsgi_read_timeout uwsgi_request_buffering uwsgi_send_timeout uwsgi_socket_keepalive
    uwsgi_ssl_ciphers uwsgi_ssl_name uwsgi_ssl_protocols uwsgi_ssl_server_name uwsgi_ssl_session_reuse
    uwsgi_ssl_verify uwsgi_ssl_verify_depth uwsgi_store uwsgi_store_access uwsgi_temp_file_write_size
    """
)
"""The last five groups: grown for performance work; modules of others; Tengine's own; those of nginx 1.27 and later;
what asks upstream servers by another protocol than HTTP/1.1, with the rules of its ``proxy_…`` namesakes. A host's
nginx may lack any of them, which its own test of the configuration says. Of those of 1.27 and later, none has an
argument that nginx opens or connects to: conditions over variables (``client_body_early_read``, ``early_hints``), a
number of headers, sizes of the buffers of a connection that ``proxy_pass`` opens, and switches.
``ssl_certificate_cache`` keeps certificates of ``ssl_certificate``, which is ngxlab's to write."""


STREAM = _names(
    """
    allow deny limit_conn limit_conn_dry_run limit_conn_log_level limit_conn_zone map map_hash_bucket_size
    map_hash_max_size preread_buffer_size preread_timeout proxy_bind proxy_buffer_size proxy_connect_timeout
    proxy_download_rate proxy_half_close proxy_next_upstream proxy_next_upstream_timeout proxy_next_upstream_tries
    proxy_pass proxy_socket_keepalive proxy_timeout proxy_upload_rate split_clients ssl_ciphers ssl_conf_command
    ssl_ecdh_curve ssl_handshake_timeout ssl_prefer_server_ciphers ssl_protocols ssl_session_cache
    ssl_session_tickets ssl_session_timeout tcp_nodelay upstream variables_hash_bucket_size variables_hash_max_size
    """
)
"""Where nginx passes on connections (``nginx.tcp``), in ``stream`` and its server."""

STREAM_UPSTREAM = _names("hash least_conn least_time random server zone")


def is_listed(name: str) -> bool:
    return name in MAIN | EVENTS | UPSTREAM | HTTP | STREAM


DATA_BLOCKS = frozenset({"charset_map", "geo", "map", "split_clients", "types"})
"""Blocks that contain pairs of values instead of directives."""

LISTEN_OPTION = (
    r"reuseport|deferred|bind|default_server|http2|quic|multipath|backlog=\d+|fastopen=\d+|(rcvbuf|sndbuf)=\d+[kKmM]?"
    r"|so_keepalive=(on|off|\d*[smh]?:\d*[smh]?:\d*)"
)
LISTEN_OF_HTTP = frozenset({"default_server", "http2", "multipath", "quic"})
"""Those that a listener of ``stream`` has not."""

LISTEN_INSTEAD = {
    "ssl": say("for TLS, switch on nginx.tls"),
    "proxy_protocol": say("the load generators do not speak the PROXY protocol, so every request would fail"),
}
"""What else to say of an option that is not allowed."""

INSTEAD: tuple[tuple[str, Sentence], ...] = (
    ("include", say("write the directives themselves")),
    ("load_module", say("write it in nginx.main")),
    (r".*_by_lua.*|lua_.*|js_.*|perl.*", say("only built-in parts may run code; use return, set, map and if")),
    (
        r"ssl_(certificate|trusted_certificate|client_certificate|dhparam|password_file|session_ticket_key|crl).*|ssl",
        say("switch on nginx.tls, or tls of the upstream server: ngxlab creates a certificate for the run"),
    ),
    (
        r"ssl_(stapling|ocsp).*",
        say("nginx would ask a server of the certificate's issuer; ngxlab's certificate has none"),
    ),
    (r"ssl_verify_.*", say("no load generator has a certificate of its own")),
    (
        r"(proxy|uwsgi|grpc)_ssl_(certificate|trusted_certificate|crl|password_file).*",
        say("it reads files of the host; what needs no files is allowed, and upstream_servers may have tls"),
    ),
    (r"listen", say("set the options of ngxlab's listener in nginx.listen_options")),
    (r"server", say("nginx.server is the server under test; servers of an upstream come from {call}", call=CALL)),
    (r"worker_processes|worker_connections", say("use nginx.workers, nginx.worker_connections or placement")),
    (r".*_temp_path", say("ngxlab keeps temporary files in the trial's folder")),
    (r"error_log|pid|user|env|daemon|master_process|lock_file|working_directory|ssl_engine", say("ngxlab sets it")),
    (
        r"worker_rlimit_core|debug_.*|google_perftools_.*",
        say("what it writes or slows down is no part of a measurement"),
    ),
    (r"stub_status|status_zone|api", say("ngxlab reads nginx's counters from a port of its own")),
    (
        r"resolver.*",
        say("there is no name to look up: name upstream servers by {call} in an upstream block", call=CALL),
    ),
    (r"(dav|create_full_put)_.*", say("clients of an experiment store no files; use its files, or proxy_store")),
    (r"auth_jwt.*", say("it reads files of the host; use auth_request to a location of yours")),
    (r"geoip.*|image_filter.*|xslt.*|xml.*|secure_link.*", say("it reads files of the host; use geo, set, map and if")),
    (r"ssi.*", say("pages that give orders to nginx are not measured here; use sub_filter, mirror or add_before_body")),
    (
        r"state|sticky_cookie_insert|queue|ntlm|health_check.*|match|keyval.*|zone_sync.*",
        say("it is of the commercial nginx"),
    ),
    (r"dyups_.*|check|check_.*", say("ngxlab writes it where nginx.upstreams change through tengine")),
    (r"events|http", say("ngxlab writes it around the fields of nginx")),
    (
        r"stream",
        say("switch on nginx.tcp: nginx.http is then written into stream, and nginx.server into its server"),
    ),
    (r"mail|tcp", say("experiments are about HTTP")),
    (r"quic_bpf", say("it loads a program into the kernel, which a trial may not")),
    (r"quic_host_key", say("it reads a file of the host")),
    (r"zstd_dict_file", say("it reads a file of the host")),
)
"""What to use instead, by a pattern of the directive's name."""
