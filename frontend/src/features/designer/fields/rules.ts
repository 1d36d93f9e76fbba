import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { engineChoices, engineOf } from '@/domain/engines';
import { slotNames } from '@/domain/slots';
import type { Draft } from '../model/draft/draft';
import type { DraftPerturbation } from '../model/draft/perturbationDraft';
import {
  type DraftCold,
  type DraftFiles,
  type DraftNginx,
  type DraftUpstreams,
  withColdMethod,
  withContent,
  withFiles,
  withThrough,
  withTls,
} from '../model/draft/serverDraft';
import {
  type DraftOpenLoop,
  type DraftRequest,
  type DraftStream,
  ratesOf,
  withEngine,
} from '../model/draft/streamDraft';
import { keysOf } from '../model/draft/values';
import { withChange, withValue } from '../model/paths';
import { DEFAULTS, FIELDS } from './declared';
import type { Choice } from './inputs';

export type Name = keyof typeof FIELDS;

/** What a schema does not declare of a field. */
export interface Rule {
  /** Where the rest of its section decides whether it is shown. */
  shown?: (section: never) => boolean;
  /** What else of the draft there is to choose from. */
  options?: (draft: Draft) => readonly (Choice | string)[];
  /** Where a change is more than the value itself. */
  change?: (draft: Draft, section: string, value: never) => Draft;
  /** Where it is shown, it has to be there. */
  needed?: true;
  maxLength?: number;
  /** Lines of a text, at least. */
  rows?: number;
  /** It has a line of its own. */
  wide?: true;
}

/** A change of the section in which a field is. */
const inSection =
  <S, V>(how: (section: S, value: V) => S) =>
  (draft: Draft, section: string, value: V): Draft =>
    withChange<Draft, S>(draft, section, (now) => how(now, value));

const HTTP1 = DEFAULTS.Stream.protocol;

const isThrottled = ({ method }: DraftCold) => method === 'throttle';

type Signal = Extract<DraftPerturbation['action'], { kind: 'signal' }>;

const endpoints = ({ upstream_servers }: Draft) => [
  { value: 'target', label: t`the target` },
  ...upstream_servers.map(({ key }) => ({ value: `upstream.${key}`, label: t`upstream ${key}` })),
];

type Worded = 'Stream.protocol' | `TlsClient.${'sessions' | 'version' | 'group' | 'cipher'}`;

/** The words of a field, and the variables that levels set to one of them. */
const words =
  (field: Worded) =>
  ({ factors }: Draft): (Choice | string)[] => {
    const known = FIELDS[field].options.map(([value, label]) => ({
      value,
      label: typeof label === 'string' ? label : i18n._(label),
    }));
    const set = factors.flatMap(({ levels }) => levels.flatMap(({ variables }) => variables));
    const names = set.filter((one) => known.some(({ value }) => value === one.value)).map(({ name }) => name);
    return [...known, ...[...new Set(names)].map((name) => `{{ ${name} }}`)];
  };

const isPaced = (part: DraftOpenLoop) => ratesOf(part) !== 'replay';
const isSingle = ({ requests }: DraftStream) => requests.length === 0;
const sendsOwnBody = (stream: DraftStream) => engineOf(stream.engine).sendsBodies && isSingle(stream);

export const RULES: Partial<Record<Name, Rule>> = {
  'Definition.question': { rows: 2 },
  'Churn.group': { options: ({ nginx }) => keysOf(nginx.upstreams?.groups ?? []) },
  'ColdFiles.method': { change: inSection(withColdMethod) },
  'ColdFiles.read_bytes_per_s': { shown: isThrottled },
  'ColdFiles.read_ops_per_s': { shown: isThrottled },
  'DynamicUpstreams.through': { change: inSection(withThrough) },
  'DynamicUpstreams.read_interval_ms': { shown: ({ through }: DraftUpstreams) => through !== 'reload' },
  'DynamicUpstreams.lock_us_per_node': { shown: ({ through }: DraftUpstreams) => through === 'lua' },
  'DynamicUpstreams.trylock': { shown: ({ through }: DraftUpstreams) => through !== 'reload' },
  'DynamicUpstreams.health_check': {
    shown: ({ through }: DraftUpstreams) => through === 'tengine',
    wide: true,
  },
  'FileSet.cold': {
    change: (draft, section, cold: boolean) => {
      const { nginx, ...rest } = withValue(draft, `${section}.cold`, cold);
      return { ...rest, nginx: withFiles(nginx, nginx.files) };
    },
  },
  'FileSet.compression_ratio': { shown: ({ content }: DraftFiles) => content === 'text' },
  'FileSet.content': { change: inSection(withContent) },
  'FileSet.size_bytes': { shown: ({ sizes }: DraftFiles) => sizes === null, needed: true },
  'HttpCall.endpoint': { options: endpoints },
  'HttpCall.method': { maxLength: 20 },
  'HttpCall.body': { rows: 2 },
  'MixedRequest.body': { rows: 2 },
  'MixedRequest.draw': { shown: ({ count }: DraftRequest) => count !== null },
  'MixedRequest.exponent': {
    shown: ({ count, draw }: DraftRequest) => count !== null && draw === 'zipf',
  },
  'MixedRequest.method': { maxLength: 20 },
  'NginxTemplate.certificate_chain': { shown: ({ tls }: DraftNginx) => tls, needed: true },
  'NginxTemplate.certificate_key': { shown: ({ tls }: DraftNginx) => tls, needed: true },
  'NginxTemplate.http': { rows: 2 },
  'NginxTemplate.server': { rows: 5 },
  'NginxTemplate.tls': { change: inSection(withTls) },
  'OpenLoop.arrivals': { shown: isPaced },
  'OpenLoop.seed': { shown: isPaced },
  'OpenLoop.rate_per_s': { shown: (part: DraftOpenLoop) => ratesOf(part) === 'constant', needed: true },
  'Perturbation.slot': { options: slotNames },
  'SignalNginx.worker': { shown: ({ to }: Signal) => to === 'worker' },
  'SignalNginx.resume_after_s': { shown: ({ signal }: Signal) => signal === 'STOP' },
  'Slow.spread_ms': { shown: ({ distribution }: { distribution: string }) => distribution === 'uniform' },
  'Stream.body': { shown: sendsOwnBody, rows: 2 },
  'Stream.body_bytes': { shown: sendsOwnBody },
  'Stream.engine': { options: engineChoices, change: inSection(withEngine) },
  'Stream.method': { shown: isSingle, maxLength: 20 },
  'Stream.path': { shown: (stream: DraftStream) => stream.paths === null && isSingle(stream) },
  'Stream.requests_seed': { shown: (stream: DraftStream) => !isSingle(stream) },
  'Stream.protocol': {
    options: words('Stream.protocol'),
    shown: ({ engine, protocol }: DraftStream) => engineOf(engine).speaksMore || protocol !== HTTP1,
  },
  'Stream.requests_at_once': { shown: ({ protocol }: DraftStream) => protocol !== HTTP1 },
  'Stream.script': { shown: ({ engine }: DraftStream) => engineOf(engine).runsScripts },
  'TlsClient.cipher': { options: words('TlsClient.cipher') },
  'TlsClient.group': { options: words('TlsClient.group') },
  'TlsClient.sessions': { options: words('TlsClient.sessions') },
  'TlsClient.version': { options: words('TlsClient.version') },
  'UpstreamGroup.server': { options: ({ upstream_servers }) => keysOf(upstream_servers) },
  'UpstreamServer.server': { shown: ({ behaviour }: { behaviour: unknown }) => behaviour === null, rows: 3 },
};
