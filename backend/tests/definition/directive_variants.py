"""What performance engineers write: fragments by the field that they stand in, one a line."""

ALLOWED: dict[str, str] = {
    "main": """
worker_rlimit_nofile 65535;
worker_priority 5;
worker_cpu_affinity auto;
worker_cpu_affinity auto 0101;
worker_cpu_affinity 01 10;
worker_priority 0;
worker_shutdown_timeout 5s;
timer_resolution 100ms;
pcre_jit on;
thread_pool default threads=32 max_queue=65536;
thread_pool disk threads=64;
""",
    "events": """
accept_mutex on;
accept_mutex off;
accept_mutex_delay 100ms;
multi_accept on;
use epoll;
epoll_events 1024;
worker_aio_requests 64;
""",
    "http": """
upstream u { {{ servers("app") }} }
upstream u { {{ servers("app", weight=5) }} }
upstream u { {{ servers("app", max_conns=100) }} zone u 64k; }
upstream u { {{ servers("app", max_fails=0) }} }
upstream u { {{ servers("app", max_fails=3, fail_timeout="10s") }} }
upstream u { {{ servers("app", instance=1, weight=3) }} {{ servers("app", instance=2, backup=true) }} }
upstream u { {{ servers("app") }} {{ servers("app", instance=2, down=true) }} }
upstream u { zone u 64k; {{ servers("app") }} }
upstream u { least_conn; {{ servers("app") }} }
upstream u { ip_hash; {{ servers("app") }} }
upstream u { hash $request_uri consistent; {{ servers("app") }} }
upstream u { random two least_conn; {{ servers("app") }} }
upstream u { {{ servers("app") }} keepalive 32; keepalive_requests 1000; keepalive_time 1h; keepalive_timeout 60s; }
proxy_cache_path @@folder@@/cache keys_zone=c:10m;
proxy_cache_path @@folder@@/cache levels=1:2 keys_zone=c:10m max_size=1g inactive=60m use_temp_path=off;
proxy_cache_path @@folder@@/cache-b keys_zone=b:1m min_free=100m manager_files=100 loader_threshold=200ms;
geo $remote_addr $near { default 0; 127.0.0.0/8 1; }
geo $range { ranges; default 0; 10.0.0.0-10.0.0.255 1; }
map $uri $kind { default 0; ~*\\.jpg$ image; }
map $http_upgrade $connection_upgrade { default upgrade; '' close; }
map $request_method $no_cache { volatile; default 1; GET 0; }
split_clients $remote_addr $bucket { 50% a; * b; }
charset_map koi8-r utf-8 { 80 E282AC; }
limit_req_zone $binary_remote_addr zone=r:10m rate=100r/s;
limit_conn_zone $server_name zone=n:10m;
log_format timing '$request_time $upstream_response_time $upstream_cache_status';
open_file_cache max=10000 inactive=20s;
types_hash_max_size 4096;
server_names_hash_bucket_size 128;
variables_hash_max_size 2048;
map_hash_max_size 4096;
keepalive_requests 100000;
""",
    "listen_options": """
reuseport
backlog=65535
deferred
fastopen=256
rcvbuf=64k sndbuf=64k
so_keepalive=on
so_keepalive=30m::10
bind
http2
default_server
""",
    "server": """
sendfile on;
sendfile_max_chunk 512k;
tcp_nopush on;
tcp_nodelay off;
aio threads;
aio threads=default;
aio_write on;
directio 4m;
directio_alignment 4k;
output_buffers 2 32k;
postpone_output 1460;
read_ahead 512k;
send_lowat 0;
send_timeout 10s;
reset_timedout_connection on;
keepalive_timeout 65s;
keepalive_timeout 0;
keepalive_requests 1000;
keepalive_time 1h;
keepalive_disable none;
lingering_close off;
lingering_time 30s;
client_body_buffer_size 128k;
client_body_in_file_only clean;
client_body_in_single_buffer on;
client_body_timeout 10s;
client_header_buffer_size 4k;
client_header_timeout 10s;
client_max_body_size 100m;
large_client_header_buffers 8 16k;
connection_pool_size 512;
request_pool_size 8k;
gzip on;
gzip on; gzip_comp_level 9;
gzip_types text/plain application/json;
gzip_min_length 256;
gzip_buffers 32 8k;
gzip_proxied any;
gzip_vary on;
gzip_static on;
gzip_http_version 1.0;
gunzip on;
gunzip_buffers 16 8k;
open_file_cache max=1000 inactive=60s; open_file_cache_valid 30s; open_file_cache_min_uses 2;
open_file_cache_errors on;
open_file_cache off;
limit_rate 100k;
limit_rate_after 1m;
location / { slice 1m; proxy_set_header Range $slice_range; proxy_pass http://app; }
location /v { root @@folder@@/files; mp4; mp4_buffer_size 1m; mp4_max_buffer_size 5m; }
location /f { root @@folder@@/files; flv; }
location / { root @@folder@@/files; random_index on; }
location / { root @@folder@@/files; autoindex on; autoindex_format json; }
location / { root @@folder@@/files; index a.html b.html; }
location / { root @@folder@@/files; try_files $uri $uri/ =404; }
location / { root @@folder@@/files; etag off; }
location / { root @@folder@@/files; expires 1h; }
location / { root @@folder@@/files; add_header Cache-Control "public, max-age=60" always; }
location / { root @@folder@@/files; max_ranges 1; }
location / { root @@folder@@/files; disable_symlinks on; }
location / { root @@folder@@/files; if_modified_since before; }
location / { return 200 "ok"; }
location / { return 204; }
location / { empty_gif; }
location / { internal; }
location = /exact { return 200; }
location ^~ /prefix { return 200; }
location ~* \\.(jpg|png)$ { return 200; }
location / { proxy_pass http://app; }
location / { proxy_pass http://app/base/; }
location / { proxy_pass http://app$request_uri; }
location / { proxy_pass http://app$uri; }
location / { proxy_pass http://app/x$is_args$args; }
location / { proxy_pass https://app; }
location / { proxy_pass https://app; proxy_ssl_session_reuse on; }
location / { proxy_pass https://app; proxy_ssl_protocols TLSv1.3; }
location / { proxy_pass https://app; proxy_ssl_ciphers HIGH; }
location / { proxy_pass https://app; proxy_ssl_server_name on; proxy_ssl_name app.test; }
location / { proxy_pass https://app; proxy_ssl_verify off; proxy_ssl_verify_depth 2; }
location / { proxy_pass https://app; proxy_ssl_conf_command Options KTLS; }
location / { proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection ""; }
location / { proxy_pass http://app; proxy_buffering off; }
location / { proxy_pass http://app; proxy_buffers 16 16k; proxy_buffer_size 16k; proxy_busy_buffers_size 32k; }
location / { proxy_pass http://app; proxy_request_buffering off; }
location / { proxy_pass http://app; proxy_max_temp_file_size 0; }
location / { proxy_pass http://app; proxy_temp_file_write_size 64k; }
location / { proxy_pass http://app; proxy_limit_rate 1m; }
location / { proxy_pass http://app; proxy_connect_timeout 1s; proxy_read_timeout 5s; proxy_send_timeout 5s; }
location / { proxy_pass http://app; proxy_next_upstream error timeout http_502; }
location / { proxy_pass http://app; proxy_next_upstream_tries 2; proxy_next_upstream_timeout 1s; }
location / { proxy_pass http://app; proxy_socket_keepalive on; }
location / { proxy_pass http://app; proxy_ignore_client_abort on; }
location / { proxy_pass http://app; proxy_intercept_errors on; }
location / { proxy_pass http://app; proxy_force_ranges on; }
location / { proxy_pass http://app; proxy_method GET; }
location / { proxy_pass http://app; proxy_pass_request_body off; proxy_set_header Content-Length ""; }
location / { proxy_pass http://app; proxy_pass_request_headers off; }
location / { proxy_pass http://app; proxy_hide_header X-Powered-By; }
location / { proxy_pass http://app; proxy_pass_header Server; }
location / { proxy_pass http://app; proxy_redirect off; }
location / { proxy_pass http://app; proxy_cookie_path / /x/; proxy_cookie_domain a b; }
location / { proxy_pass http://app; proxy_cookie_flags ~ secure; }
location / { proxy_pass http://app; proxy_set_body x; }
location / { proxy_pass http://app; proxy_headers_hash_max_size 1024; }
location / { proxy_pass http://app; proxy_bind 127.0.0.2; }
location / { proxy_pass http://app; proxy_bind $remote_addr; }
location / { proxy_pass http://app; proxy_bind $source; }
location / { proxy_pass http://app; proxy_send_lowat 0; }
location / { proxy_pass http://app; proxy_ignore_headers X-Accel-Redirect Set-Cookie; }
location / { fastcgi_pass app; fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name; }
location / { fastcgi_pass app; fastcgi_param HTTPS $https if_not_empty; fastcgi_keep_conn on; }
location ~ \\.php(/|$) { fastcgi_split_path_info ^(.+?\\.php)(/.*)$; fastcgi_index index.php; fastcgi_pass app; }
location / { auth_basic closed; auth_basic_user_file @@folder@@/htpasswd; auth_delay 1s; }
location / { fastcgi_pass app; fastcgi_buffers 16 16k; fastcgi_buffer_size 32k; fastcgi_busy_buffers_size 64k; }
location / { fastcgi_pass app; fastcgi_buffering off; fastcgi_request_buffering off; fastcgi_read_timeout 300s; }
location / { uwsgi_pass app; uwsgi_param QUERY_STRING $query_string; uwsgi_modifier1 5; }
location / { uwsgi_pass uwsgi://app; uwsgi_buffering off; }
location / { scgi_pass app; scgi_param REQUEST_METHOD $request_method; }
location / { grpc_pass app; grpc_set_header X-Real-IP $remote_addr; }
location / { grpc_pass grpc://app; grpc_read_timeout 5s; error_page 502 =204 /; }
location / { set $memcached_key $uri; memcached_pass app; memcached_buffer_size 8k; }
location / { proxy_pass http://app; proxy_cache c; }
location / { proxy_pass http://app; proxy_cache c; proxy_cache_valid 200 1m; proxy_cache_valid any 1s; }
location / { proxy_pass http://app; proxy_cache c; proxy_cache_key $scheme$host$uri$is_args$args; }
location / { proxy_pass http://app; proxy_cache c; proxy_cache_lock on; proxy_cache_lock_timeout 1s; }
location / { proxy_pass http://app; proxy_cache c; proxy_cache_lock on; proxy_cache_lock_age 5s; }
location / { proxy_pass http://app; proxy_cache c; proxy_cache_use_stale error updating; }
location / { proxy_pass http://app; proxy_cache c; proxy_cache_use_stale updating; proxy_cache_background_update on; }
location / { proxy_pass http://app; proxy_cache c; proxy_cache_revalidate on; }
location / { proxy_pass http://app; proxy_cache c; proxy_cache_min_uses 3; }
location / { proxy_pass http://app; proxy_cache c; proxy_cache_methods GET HEAD POST; }
location / { proxy_pass http://app; proxy_cache c; proxy_cache_bypass $arg_nocache; proxy_no_cache $arg_nocache; }
location / { proxy_pass http://app; proxy_cache c; proxy_cache_max_range_offset 1m; }
location / { proxy_pass http://app; proxy_cache c; proxy_cache_convert_head off; }
location / { proxy_pass http://app; proxy_cache off; }
location / { root @@folder@@/store; proxy_store @@folder@@/store$uri; proxy_store_access all:r; proxy_pass http://app; }
location / { proxy_store off; proxy_pass http://app; }
location / { mirror /copy; proxy_pass http://app; } location = /copy { internal; proxy_pass http://app$request_uri; }
location / { mirror /copy; mirror_request_body off; proxy_pass http://app; }
location / { mirror off; return 200; }
location / { auth_request /auth; return 200; } location = /auth { internal; proxy_pass http://app; }
location / { auth_request /auth; auth_request_set $who $upstream_http_x_user; return 200; }
location / { auth_request off; return 200; }
location / { add_before_body /head; add_after_body /tail; addition_types text/plain; return 200; }
rewrite ^/old$ /new last;
rewrite (?s)^/api/(.*)$ /$1 break;
rewrite (?s)^/api(/.*)$ /v2$1 last;
rewrite (?s)^(.*)$ /base$1 last;
rewrite ^/user/([^/]+)/posts$ /posts/$1 last;
rewrite ^/item/(\\d+)$ /items/$1.html last;
rewrite ^/([a-z]+)/(\\d+)$ /$2/$1 last;
rewrite ^/img/(.*)$ /image.php?name=$1 last;
rewrite ^/page/(\\w+)$ /index?p=$1&q=$arg_q last;
rewrite ^/moved/(.*)$ https://example.org/$1 permanent;
if ($request_method = POST) { return 405; }
if ($http_user_agent ~* bot) { return 403; }
set $a $arg_b;
break;
error_page 404 =200 /empty;
error_page 500 502 503 504 @down; location @down { return 503; }
recursive_error_pages on;
limit_req zone=r burst=20 nodelay;
limit_req zone=r; limit_req_status 429; limit_req_dry_run on;
limit_conn n 100; limit_conn_status 429;
access_log off;
access_log @@folder@@/access.log;
access_log @@folder@@/access.log combined;
access_log @@folder@@/access.log combined buffer=64k flush=1s;
access_log @@folder@@/access.log combined gzip=6 flush=1s if=$arg_log;
location / { root @@folder@@/files; try_files $uri $uri/ /index.php?$args; }
location / { root @@folder@@/files; try_files $uri /index.php?q=$uri&$args; }
log_not_found off;
log_subrequest on;
rewrite_log off;
set_real_ip_from 127.0.0.0/8; real_ip_header X-Forwarded-For; real_ip_recursive on;
allow 127.0.0.0/8; deny all;
satisfy any;
valid_referers none example.org; if ($invalid_referer) { return 403; }
sub_filter a b; sub_filter_once off; sub_filter_types *;
ssl_protocols TLSv1.2 TLSv1.3;
ssl_ciphers HIGH:!aNULL; ssl_prefer_server_ciphers on;
ssl_session_cache shared:s:10m; ssl_session_timeout 1d;
ssl_session_tickets off;
ssl_buffer_size 4k;
ssl_ecdh_curve X25519:P-256;
ssl_early_data on;
ssl_conf_command Options KTLS;
ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;
ssl_reject_handshake off;
http2_max_concurrent_streams 256;
http2_chunk_size 16k;
http2_body_preread_size 128k;
chunked_transfer_encoding off;
server_tokens off;
default_type text/plain;
charset utf-8;
absolute_redirect off; port_in_redirect off;
merge_slashes off;
underscores_in_headers on;
ignore_invalid_headers off;
subrequest_output_buffer_size 64k;
userid on;
override_charset on;
source_charset koi8-r;
modern_browser gecko 1.0.0;
""",
}

OTHER_BUILDS: dict[str, str] = {
    "main": """
ssl_object_cache_inheritable on;
""",
    "http": """
upstream u { least_time header inflight; {{ servers("app") }} }
upstream u { zone u 64k; {{ servers("app") }} sticky cookie srv expires=1h path=/; }
upstream u { zone u 64k; {{ servers("app") }} sticky learn create=$upstream_cookie_a lookup=$cookie_a zone=s:1m; }
max_headers 100;
ssl_certificate_cache max=100 inactive=20s valid=1m;
""",
    "listen_options": """
quic reuseport
multipath
""",
    "server": """
aio on;
http2 on;
http3 on;
http3_max_concurrent_streams 256;
http3_stream_buffer_size 128k;
quic_gso on;
quic_retry on;
keepalive_min_timeout 10s;
location / { proxy_pass http://app; proxy_pass_trailers on; }
brotli on; brotli_comp_level 5; brotli_types text/plain;
brotli_static on;
brotli_window 512k; brotli_min_length 256; brotli_buffers 16 8k;
zstd on; zstd_comp_level 3; zstd_types text/plain;
zstd_static on;
zstd_min_length 256; zstd_buffers 16 8k;
client_body_postpone_size 64k; client_body_buffers 16 4k;
add_header_inherit merge;
client_body_early_read $http_x;
early_hints $http_sec_fetch_mode;
ssl_certificate_compression on;
location / { proxy_pass http://app; proxy_socket_rcvbuf 64k; proxy_socket_sndbuf 64k; }
""",
}
"""Those of newer nginx, of other modules, and of Tengine: no Debian 12 package has all of them."""


def variants(table: dict[str, str]) -> list[tuple[str, str]]:
    return [(field, line) for field, lines in table.items() for line in lines.strip().split("\n")]
