import type {
  ColdFiles,
  DynamicUpstreams,
  FileSet,
  NginxTemplate,
  UpstreamGroup,
  UpstreamServer,
} from '@/api/generated';
import { DEFAULTS } from '../../fields/declared';
import { filled, type Typed } from './values';

export type DraftFiles = Typed<FileSet>;
export type DraftCold = Typed<ColdFiles>;
export type DraftGroup = Typed<UpstreamGroup>;
export type DraftUpstreams = Typed<DynamicUpstreams>;
export type DraftNginx = Typed<NginxTemplate>;
export type DraftUpstreamServer = Typed<UpstreamServer>;
type DraftBehaviour = NonNullable<DraftUpstreamServer['behaviour']>;
/** `own`: a fragment of configuration that is written by hand. */
export type BehaviourKind = DraftBehaviour['kind'] | 'own';

const SERVER_OF_200 = 'location / {\n    return 200;\n}';

export const BLANK_NGINX: NginxTemplate = { workers: 2, worker_connections: 1024, server: SERVER_OF_200 };

export const blankFiles = (folder: string): DraftFiles =>
  filled<FileSet>('FileSet', { folder, count: 100, size_bytes: 65_536 });

type DraftSizes = NonNullable<DraftFiles['sizes']>;

const SIZES: { [K in DraftSizes['kind']]: Extract<DraftSizes, { kind: K }> } = {
  uniform: { kind: 'uniform', min_bytes: 1024, max_bytes: 65_536 },
  lognormal: { kind: 'lognormal', median_bytes: 12_000, sigma: 1, max_bytes: 500_000 },
  list: {
    kind: 'list',
    sizes: [
      { size_bytes: 1024, weight: 3 },
      { size_bytes: 65_536, weight: 1 },
    ],
  },
};

/** Another way to say how large the files are. */
export function withSizes(files: DraftFiles, kind: DraftSizes['kind'] | 'fixed'): DraftFiles {
  return kind === 'fixed'
    ? { ...files, sizes: null, size_bytes: 65_536 }
    : { ...files, sizes: SIZES[kind], size_bytes: null };
}

/** Another kind of content; only text is asked how far it compresses. */
export function withContent(files: DraftFiles, content: DraftFiles['content']): DraftFiles {
  return { ...files, content, compression_ratio: content === 'text' ? files.compression_ratio : null };
}

/** Without TLS there is no certificate to say anything of. */
export function withTls(nginx: DraftNginx, tls: boolean): DraftNginx {
  const { certificate_key, certificate_chain } = DEFAULTS.NginxTemplate;
  return tls ? { ...nginx, tls } : { ...nginx, tls, certificate_key, certificate_chain };
}

/** How files are kept cold is there exactly where some of them are to be. */
export function withFiles(nginx: DraftNginx, files: DraftFiles[]): DraftNginx {
  const some = files.some((set) => set.cold);
  return { ...nginx, files, cold_files: some ? (nginx.cold_files ?? DEFAULTS.ColdFiles) : null };
}

/** Another way to keep files cold; the limits belong to the throttled device. */
export function withColdMethod(cold: DraftCold, method: DraftCold['method']): DraftCold {
  return method === 'throttle'
    ? { ...cold, method, read_ops_per_s: cold.read_ops_per_s ?? 200 }
    : { ...cold, method, read_bytes_per_s: null, read_ops_per_s: null };
}

export const blankGroup = (key: string, server: string): DraftGroup =>
  filled<UpstreamGroup>('UpstreamGroup', { key, nodes: 10, server });

/** Upstreams that change while nginx runs, with one group of the first upstream server. */
export const blankUpstreams = (upstream: string): DraftUpstreams =>
  filled<DynamicUpstreams>('DynamicUpstreams', {
    through: 'lua',
    groups: [{ key: 'app', nodes: 10, server: upstream }],
  });

/** Another way to change groups; what only the former way knows goes back to its default. */
export function withThrough(upstreams: DraftUpstreams, through: DraftUpstreams['through']): DraftUpstreams {
  const { lock_us_per_node, read_interval_ms } = DEFAULTS.DynamicUpstreams;
  const groups = upstreams.groups.map((group) => ({ ...group, health_check: null }));
  return {
    ...upstreams,
    through,
    ...(through === 'lua' ? {} : { lock_us_per_node }),
    ...(through === 'reload' ? { trylock: false, read_interval_ms } : {}),
    ...(through === 'tengine' ? {} : { health_check: '', groups }),
  };
}

export const blankUpstreamServer = (key: string): DraftUpstreamServer =>
  filled<UpstreamServer>('UpstreamServer', { key, slot: 'upstream', server: SERVER_OF_200 });

const BEHAVIOURS: { [K in DraftBehaviour['kind']]: Extract<DraftBehaviour, { kind: K }> } = {
  sink: DEFAULTS.Sink,
  slow: { ...DEFAULTS.Slow, delay_ms: 100 },
  echo: DEFAULTS.Echo,
};

/** Ready-made, or by a fragment of its own: never both. */
export function withBehaviour(upstream: DraftUpstreamServer, kind: BehaviourKind): DraftUpstreamServer {
  if (kind === (upstream.behaviour?.kind ?? 'own')) return upstream;
  if (kind === 'own') return { ...upstream, behaviour: null, server: SERVER_OF_200 };
  return { ...upstream, behaviour: BEHAVIOURS[kind], server: '' };
}
