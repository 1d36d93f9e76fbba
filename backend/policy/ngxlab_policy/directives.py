"""The directives that an experiment's configuration may contain: an allow-list, as data.

crossplane knows where nginx allows a directive (from nginx's own source); this list decides whether an experiment may
contain it at all. Left out is what reads or writes files of its own choice, runs code, opens connections of its own
choice, or is ngxlab's to decide. What each directive does: nginx's "Alphabetical index of directives".
"""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


MAIN = _names("pcre_jit thread_pool timer_resolution worker_rlimit_nofile worker_shutdown_timeout")

EVENTS = _names("accept_mutex accept_mutex_delay multi_accept use worker_aio_requests")

UPSTREAM = _names(
    """
    hash ip_hash keepalive keepalive_requests keepalive_time keepalive_timeout least_conn random server zone
    """
)

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
    """
)

DATA_BLOCKS = frozenset({"map", "split_clients", "types"})
"""Blocks that contain pairs of values instead of directives."""

LISTEN_OPTION = (
    r"reuseport|deferred|bind|default_server|http2|backlog=\d+|fastopen=\d+|(rcvbuf|sndbuf)=\d+[kKmM]?"
    r"|so_keepalive=(on|off|\d*[smh]?:\d*[smh]?:\d*)"
)

INSTEAD: tuple[tuple[str, str], ...] = (
    ("include", "write the directives themselves"),
    ("load_module", "modules come with the nginx binary that is registered on the host"),
    (r".*_by_lua.*|lua_.*|js_.*|perl.*", "only built-in parts may run code; use return, set, map and if"),
    (
        r"ssl_(certificate|trusted_certificate|client_certificate|dhparam|password_file|session_ticket_key|crl).*|ssl",
        "switch on nginx.tls: ngxlab creates a certificate for the run",
    ),
    (r"listen", "set the options of ngxlab's listener in nginx.listen_options"),
    (r"server", 'nginx.server is the server under test; servers of an upstream come from {{ servers("KEY") }}'),
    (
        r"worker_processes|worker_connections|worker_cpu_affinity",
        "use nginx.workers, nginx.worker_connections or placement",
    ),
    (r".*_temp_path", "ngxlab keeps temporary files in the trial's folder"),
    (r"error_log|pid|user|env|daemon|master_process|lock_file|working_directory|ssl_engine", "ngxlab sets it"),
    (r"(fastcgi|uwsgi|scgi|grpc|memcached)_.*", "use proxy_pass to an upstream whose servers are declared"),
    (r"resolver.*", 'name upstream servers by {{ servers("KEY") }} in an upstream block'),
    (r"proxy_(cache|store).*|dav_.*", "use open_file_cache, or files of the definition"),
    (r"mirror|auth_.*|ssi.*|perl.*|geo.*|secure_link.*", "use return, set, map and if"),
)
"""By a pattern of the directive's name: what to use instead."""
