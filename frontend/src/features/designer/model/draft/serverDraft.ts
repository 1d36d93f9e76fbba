import type { ColdFiles, FileSet, NginxTemplate, UpstreamServer } from '@/api/generated';
import { DEFAULTS } from '../../fields/declared';
import type { Typed } from './values';

export type DraftFiles = Typed<FileSet>;
export type DraftCold = Typed<ColdFiles>;
type Upstreams = NonNullable<NginxTemplate['upstreams']>;
export type DraftGroup = Typed<Upstreams['groups'][number]>;
export type DraftUpstreams = Omit<Typed<Upstreams>, 'groups'> & { groups: DraftGroup[] };
export type Through = Upstreams['through'];

export type DraftNginx = Omit<Typed<NginxTemplate>, 'files' | 'cold_files' | 'upstreams'> & {
  files: DraftFiles[];
  cold_files: DraftCold | null;
  upstreams: DraftUpstreams | null;
};

type Kinds<T> = T extends { kind: string } ? Typed<T> : never;
export type DraftBehaviour = Kinds<NonNullable<UpstreamServer['behaviour']>>;
export type DraftUpstreamServer = Omit<Typed<UpstreamServer>, 'behaviour'> & {
  behaviour: DraftBehaviour | null;
};

export const blankFiles = (folder: string): DraftFiles => ({
  ...DEFAULTS.FileSet,
  folder,
  count: 100,
  size_bytes: 65_536,
});

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

export const SERVER_OF_200 = 'location / {\n    return 200;\n}';

export const BLANK_COLD: DraftCold = DEFAULTS.ColdFiles;

const BEHAVIOURS: { [K in DraftBehaviour['kind']]: Extract<DraftBehaviour, { kind: K }> } = {
  sink: DEFAULTS.Sink,
  slow: { ...DEFAULTS.Slow, delay_ms: 100 },
};

export const blankNginx = (): DraftNginx => ({
  ...DEFAULTS.NginxTemplate,
  workers: 2,
  worker_connections: 1024,
  server: SERVER_OF_200,
  files: [],
});

export function toDraftNginx({ files, cold_files, upstreams, ...nginx }: NginxTemplate): DraftNginx {
  return {
    ...blankNginx(),
    ...nginx,
    files: (files ?? []).map((set) => ({ ...blankFiles(set.folder), size_bytes: null, ...set })),
    cold_files: cold_files ? { ...BLANK_COLD, ...cold_files } : null,
    upstreams: upstreams ? toDraftUpstreams(upstreams) : null,
  };
}

const toDraftUpstreams = (upstreams: Upstreams): DraftUpstreams => ({
  ...BLANK_UPSTREAMS,
  ...upstreams,
  groups: upstreams.groups.map((group) => ({ ...group, health_check: group.health_check ?? null })),
});

const BLANK_UPSTREAMS = DEFAULTS.DynamicUpstreams;

export const blankGroup = (key: string, server: string): DraftGroup => ({
  key,
  nodes: 10,
  server,
  health_check: null,
});

/** Upstreams that change while nginx runs, with one group of the first upstream server. */
export const blankUpstreams = (upstream: string): DraftUpstreams => ({
  through: 'lua',
  groups: [blankGroup('app', upstream)],
  ...BLANK_UPSTREAMS,
});

const unchecked = (group: DraftGroup): DraftGroup => ({ ...group, health_check: null });

/** Another way to change groups; what only the former way knows goes back to its default. */
export function withThrough(upstreams: DraftUpstreams, through: Through): DraftUpstreams {
  return {
    ...upstreams,
    through,
    ...(through === 'lua' ? {} : { lock_us_per_node: BLANK_UPSTREAMS.lock_us_per_node }),
    ...(through === 'reload' ? { trylock: false, read_interval_ms: BLANK_UPSTREAMS.read_interval_ms } : {}),
    ...(through === 'tengine' ? {} : { health_check: '', groups: upstreams.groups.map(unchecked) }),
  };
}

export const blankUpstreamServer = (key: string): DraftUpstreamServer => ({
  ...DEFAULTS.UpstreamServer,
  key,
  slot: 'upstream',
  server: SERVER_OF_200,
});

export function toDraftUpstreamServer({ behaviour, ...upstream }: UpstreamServer): DraftUpstreamServer {
  return {
    ...blankUpstreamServer(upstream.key),
    server: '',
    ...upstream,
    behaviour: behaviour ? ({ ...BEHAVIOURS[behaviour.kind], ...behaviour } as DraftBehaviour) : null,
  };
}

/** Ready-made, or by a fragment of its own: never both. */
export function withBehaviour(
  upstream: DraftUpstreamServer,
  kind: DraftBehaviour['kind'] | 'own',
): DraftUpstreamServer {
  if (kind === (upstream.behaviour?.kind ?? 'own')) return upstream;
  if (kind === 'own') return { ...upstream, behaviour: null, server: SERVER_OF_200 };
  return { ...upstream, behaviour: BEHAVIOURS[kind], server: '' };
}

/** How files are kept cold is there exactly where some of them are to be. */
function withFiles(nginx: DraftNginx, files: DraftFiles[]): DraftNginx {
  const some = files.some((set) => set.cold);
  return { ...nginx, files, cold_files: some ? (nginx.cold_files ?? BLANK_COLD) : null };
}

export function withCold(nginx: DraftNginx, index: number, cold: boolean): DraftNginx {
  return withFiles(
    nginx,
    nginx.files.map((set, place) => (place === index ? { ...set, cold } : set)),
  );
}

export function withoutFiles(nginx: DraftNginx, index: number): DraftNginx {
  return withFiles(
    nginx,
    nginx.files.filter((_, place) => place !== index),
  );
}

/** Another way to keep files cold; the limits belong to the throttled device. */
export function withColdMethod(cold: DraftCold, method: DraftCold['method']): DraftCold {
  return method === 'throttle'
    ? { ...cold, method, read_ops_per_s: cold.read_ops_per_s ?? 200 }
    : { ...cold, method, read_bytes_per_s: null, read_ops_per_s: null };
}
