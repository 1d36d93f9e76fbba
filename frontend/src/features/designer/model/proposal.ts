/** Which metrics show what arms differ in: bytes for compression, handshakes for TLS, and so on. */

/** By a directive's name: metrics that move with it, the most telling first. */
const TELLING: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(gzip|gunzip|brotli|zstd)/, ['response_bytes', 'cpu_s_per_1000_requests']],
  [
    /^((proxy|fastcgi|uwsgi|scgi)_(cache|store|no_cache)|slice|mirror)/,
    ['upstream_requests_per_1000_requests', 'latency_p99_us'],
  ],
  [/^ssl_(session|early_data)/, ['full_handshakes_per_1000_requests', 'cpu_s_per_1000_requests']],
  [/^ssl_(buffer_size|conf_command)/, ['write_syscalls_per_request', 'cpu_s_per_1000_requests']],
  [/^ssl_/, ['cpu_s_per_1000_requests', 'latency_p50_us']],
  [
    /^keepalive$|^proxy_(http_version|set_header)$/,
    ['upstream_connections_per_1000_requests', 'latency_p99_us'],
  ],
  [/^keepalive_(requests|timeout|time)$/, ['connections_per_1000_requests', 'cpu_s_per_1000_requests']],
  [/^limit_(req|conn)/, ['rejected_percent', 'latency_p99_us']],
  [/^(listen|accept_mutex|multi_accept)/, ['worker_cpu_cv', 'latency_p99_us']],
  [
    /^(sendfile|tcp_nopush|output_buffers|postpone_output|access_log|proxy_buffer|sub_filter|ssi|addition)/,
    ['write_syscalls_per_request', 'cpu_s_per_1000_requests'],
  ],
  [/^(aio|directio|read_ahead)/, ['bytes_from_disk_percent', 'cpu_s_per_1000_requests']],
  [/^(open_file_cache|map|if|rewrite|set|location|try_files)/, ['cpu_s_per_1000_requests']],
];

/** More would share the allowed error among too many claims. */
const MOST = 3;

/** The names of directives in lines that not all arms have. */
export function differingDirectives(configs: readonly string[]): string[] {
  const linesOf = configs.map((text) => new Set(text.split('\n').map((line) => line.trim())));
  const all = new Set(linesOf.flatMap((lines) => [...lines]));
  const differing = [...all].filter((line) => !linesOf.every((lines) => lines.has(line)));
  const names = differing.map((line) => /^([a-z_0-9]+)[\s;{]/.exec(line)?.[1] ?? '');
  return [...new Set(names)].filter((name) => name !== '');
}

/**
 * The metrics that what differs speaks of, then those that count anyway, of those that may be chosen; none where nothing that
 * differs speaks of any.
 */
export function proposedMetrics(
  directives: readonly string[],
  known: readonly string[],
  defaults: readonly string[],
): string[] {
  const telling = TELLING.filter(([pattern]) => directives.some((name) => pattern.test(name)));
  const first = telling.flatMap(([, [metric = '']]) => metric);
  const rest = telling.flatMap(([, [, ...metrics]]) => metrics);
  const wanted = [...new Set([...first, ...rest])].filter((name) => known.includes(name));
  return wanted.length === 0 ? [] : [...new Set([...wanted, ...defaults])].slice(0, MOST);
}
