/** Changes that put right what is wrong where only one change is meant: an address, a path, a line of ngxlab's own. */
import { DEFAULTS } from '../fields/declared';
import type { Draft } from './draft/draft';
import { blankUpstreamServer, type DraftNginx, withTls } from './draft/serverDraft';
import { type DraftCurve, pointsOfCurve } from './draft/streamDraft';
import { keysOf, numberOrText, slug, uniqueKey } from './draft/values';
import { valueAt, withValue } from './paths';
import type { Problem } from './problems';
import { FILES, withLocation } from './served';
import { fragmentFor, withInserted } from './variables';

export interface Mend {
  /** What stands there now; empty where something is added. */
  from: string;
  /** What will; empty where a line goes. */
  to: string;
  /** The field that shows the change. */
  field: string;
  change: (draft: Draft) => Draft;
}

type Fragment = 'main' | 'events' | 'http' | 'server';
const FRAGMENT = /^nginx\.(main|events|http|server)$/;

/** How to put a problem right; `null` where that takes a decision. */
export function mendOf(draft: Draft, { field, line, source }: Problem): Mend | null {
  if (source !== null) return null;
  const set = /^nginx\.files\.(\d+)$/.exec(field)?.[1];
  if (set !== undefined) return ofFiles(draft, Number(set));
  const [, factor, name] = /^factors\.(\d+)\.levels\.\d+\.variables\.(\w+)$/.exec(field) ?? [];
  if (factor !== undefined && name !== undefined) return ofVariable(draft, Number(factor), name);
  if (OF_RANGES.test(field)) return ofCurve(draft, field);
  const fragment = FRAGMENT.exec(field)?.[1] as Fragment | undefined;
  if (fragment === undefined || line == null) return null;
  return RULES.reduce<Mend | null>((found, rule) => found ?? rule({ draft, fragment, line }), null);
}

function ofFiles(draft: Draft, index: number): Mend | null {
  const folder = draft.nginx.files[index]?.folder;
  if (!folder) return null;
  const change = (now: Draft) => ({ ...now, nginx: withLocation(now.nginx, folder) });
  return { from: '', to: `location /${folder}/ { root ${FILES}; }`, field: 'nginx.server', change };
}

function ofVariable(draft: Draft, index: number, name: string): Mend | null {
  const factor = draft.factors[index];
  const fragment = factor && fragmentFor(factor, name);
  if (!fragment) return null;
  const change = (now: Draft) => withInserted(now, fragment, name);
  return { from: '', to: `{{ ${name} }}`, field: `nginx.${fragment}`, change };
}

const OF_RANGES = /^streams\.\d+\.open_loop\.curve\.(rates|spacing)$/;

/** What a curve of listed points has of a range of rates is what it would be if nobody had said it. */
function ofCurve(draft: Draft, field: string): Mend | null {
  const dot = field.lastIndexOf('.');
  const [path, name] = [field.slice(0, dot), field.slice(dot + 1) as 'rates' | 'spacing'];
  const curve = valueAt(draft, path) as DraftCurve;
  if (pointsOfCurve(curve) === 'range') return null;
  const change = (now: Draft) => withValue(now, field, DEFAULTS.Curve[name]);
  return { from: `${name}: ${curve[name]}`, to: '', field: path, change };
}

interface Place {
  draft: Draft;
  fragment: Fragment;
  /** From 1. */
  line: number;
}

type Rule = (place: Place) => Mend | null;

const textOf = ({ nginx }: Draft, fragment: Fragment) => String(nginx[fragment] ?? '');
const lineAt = ({ draft, fragment, line }: Place) => textOf(draft, fragment).split('\n')[line - 1] ?? '';
const withText = (draft: Draft, fragment: Fragment, text: string): Draft => ({
  ...draft,
  nginx: { ...draft.nginx, [fragment]: text },
});

/** The first place in the line, but not in its comment, that the pattern finds. */
function findIn(place: Place, pattern: RegExp): RegExpExecArray | null {
  return pattern.exec(lineAt(place).replace(/(^|\s)#.*$/, ''));
}

/** The line with one part in place of another; without the line where nothing is left of it. */
function replaced(place: Place, from: string, to: string, also = (draft: Draft) => draft): Mend {
  const { fragment, line } = place;
  const change = (draft: Draft) => {
    const lines = textOf(draft, fragment).split('\n');
    const next = (lines[line - 1] ?? '').replace(from, () => to);
    lines.splice(line - 1, 1, ...(next.trim() === '' ? [] : [next]));
    return also(withText(draft, fragment, lines.join('\n')));
  };
  return { from: from.trim(), to: to.trim(), field: `nginx.${fragment}`, change };
}

const CACHE = '@@folder@@/cache';

/** A folder that no other cache has: nginx takes each once. */
function freeCache({ nginx }: Draft): string {
  const written = [nginx.http, nginx.server].join('\n').match(/@@folder@@\/cache[\w-]*/g) ?? [];
  return uniqueKey(CACHE, written);
}

/** Paths that belong into the trial's folder: what stands before them, and where they go. */
const PATHS: readonly (readonly [RegExp, (draft: Draft) => string])[] = [
  [/((?:proxy|fastcgi|uwsgi|scgi)_cache_path\s+)(?!@@folder@@\/cache)([^\s;]+)/, freeCache],
  [/((?:^|[\s;{])root\s+)(?!@@folder@@\/(?:files|store))([^\s;]+)/, () => FILES],
  [/((?:^|[\s;{])alias\s+)(?!@@folder@@\/files)([^\s;]+)/, () => `${FILES}/`],
  [/((?:^|[\s;{])access_log\s+)(?!off\b|@@folder@@\/access\.log)([^\s;]+)/, () => '@@folder@@/access.log'],
  [/(auth_basic_user_file\s+)(?!@@folder@@\/htpasswd)([^\s;]+)/, () => '@@folder@@/htpasswd'],
];

const intoFolder: Rule = (place) => {
  for (const [pattern, path] of PATHS) {
    const [from, before] = findIn(place, pattern) ?? [];
    if (from !== undefined) return replaced(place, from, `${before}${path(place.draft)}`);
  }
  return null;
};

const isKey = (text: string) => /^[a-z][a-z0-9_-]*$/.test(text) && text !== 'localhost';

/** A declared server that nothing uses yet, or a new one. */
function serverFor({ upstream_servers: servers, nginx }: Draft, wanted: string): string {
  const keys = keysOf(servers);
  if (keys.includes(wanted)) return wanted;
  const free = keys.find((key) => !String(nginx.http ?? '').includes(`servers("${key}"`));
  return free ?? uniqueKey(slug(wanted) || 'app', keys);
}

/** With the upstream server, in so many instances at least. */
function declared(draft: Draft, key: string, instances = 1): Draft {
  const servers = draft.upstream_servers;
  if (!keysOf(servers).includes(key))
    return {
      ...draft,
      upstream_servers: [...servers, { ...blankUpstreamServer(key), instances }],
    };
  const grown = servers.map((one) =>
    one.key === key && Number(one.instances) < instances ? { ...one, instances } : one,
  );
  return { ...draft, upstream_servers: grown };
}

/** `{{ servers("KEY") }}` of a key that there is not: the one that there is, or one of that name. */
const unknownServers: Rule = (place) => {
  const keys = keysOf(place.draft.upstream_servers);
  const [from, key = ''] = findIn(place, /\{\{\s*servers\(\s*["']([^"']*)["']/) ?? [];
  if (from === undefined || keys.includes(key)) return null;
  const next = keys[0] ?? (isKey(key) ? key : 'app');
  return replaced(place, from, `{{ servers("${next}"`, (draft) => declared(draft, next));
};

const OPTIONS = /^(weight|max_conns|max_fails|fail_timeout)=(.+)$/;

function optionOf(word: string): string[] {
  if (word === 'backup' || word === 'down') return [`${word}=true`];
  const [, name, value = ''] = OPTIONS.exec(word) ?? [];
  if (name === undefined) return [];
  return [`${name}=${/^\d+$/.test(value) ? value : `"${value}"`}`];
}

const UPSTREAM = /\bupstream\s+([^\s{]+)\s*\{([^{}]*(?:\{\{[^{}]*\}\}[^{}]*)*)\}/g;
const SERVER = /([^\S\n]*)\bserver\s+([^\s;{}]+)([^;{}]*);[^\S\n]*\n?/g;

/** Addresses in an upstream: as many instances of a declared server, each with the options that it had. */
const addresses: Rule = (place) => {
  if (place.fragment !== 'http') return null;
  const text = textOf(place.draft, 'http');
  const block = [...text.matchAll(UPSTREAM)].find(({ 0: whole, index }) => {
    const first = text.slice(0, index).split('\n').length;
    return first <= place.line && place.line < first + whole.split('\n').length;
  });
  const [whole = '', name = '', body = ''] = block ?? [];
  const found = [...body.matchAll(SERVER)];
  if (!block || found.length === 0) return null;
  const key = serverFor(place.draft, name);
  const options = found.map(([, , , words = '']) => words.split(/\s+/).flatMap(optionOf));
  const isPlain = options.every((some) => some.length === 0);
  const lineOf = (number: number) =>
    isPlain
      ? `{{ servers("${key}") }}`
      : `{{ servers("${[`${key}"`, `instance=${number}`, ...(options[number - 1] ?? [])].join(', ')}) }}`;
  let number = 0;
  const next = body.replace(SERVER, (statement, indent: string) => {
    number += 1;
    const end = statement.endsWith('\n') ? '\n' : ' ';
    return isPlain && number > 1 ? '' : `${indent}${lineOf(number)}${end}`;
  });
  const change = (draft: Draft) => {
    const now = textOf(draft, 'http').replace(whole, () => whole.replace(body, () => next));
    return declared(withText(draft, 'http', now), key, found.length);
  };
  return { from: `server ${found[0]?.[2]};`, to: lineOf(1), field: 'nginx.http', change };
};

const namesOf = (draft: Draft) => [...textOf(draft, 'http').matchAll(UPSTREAM)].map(([, name = '']) => name);

/** An address in proxy_pass: the upstream that there is, or a new one with servers of its own. */
const proxied: Rule = (place) => {
  const { draft } = place;
  const [from, before, host = ''] = findIn(place, /(proxy_pass\s+)https?:\/\/([^\s;/$]+)/) ?? [];
  const names = namesOf(draft);
  if (from === undefined || names.includes(host)) return null;
  const name = isKey(host) ? host : (names[0] ?? 'app');
  const key = serverFor(draft, name);
  const tls = draft.upstream_servers.find((one) => one.key === key)?.tls ?? false;
  return replaced(place, from, `${before}http${tls ? 's' : ''}://${name}`, (now) => {
    if (namesOf(now).includes(name)) return now;
    const http = textOf(now, 'http').trimEnd();
    const block = `upstream ${name} {\n    {{ servers("${key}") }}\n}\n`;
    return declared(withText(now, 'http', `${http}${http && '\n'}${block}`), key);
  });
};

/** What ngxlab writes itself, with what it says for the definition. */
const OWN: Readonly<Record<string, (nginx: DraftNginx, value: string) => DraftNginx>> = {
  worker_processes: (nginx, value) => (value === 'auto' ? nginx : { ...nginx, workers: numberOrText(value) }),
  worker_connections: (nginx, value) => ({ ...nginx, worker_connections: numberOrText(value) }),
  ssl_certificate: (nginx) => withTls(nginx, true),
  ssl_certificate_key: (nginx) => withTls(nginx, true),
  ...Object.fromEntries(
    ['listen', 'user', 'pid', 'error_log', 'daemon', 'master_process', 'lock_file'].map((name) => [
      name,
      (nginx: DraftNginx) => nginx,
    ]),
  ),
};

const ownLine: Rule = (place) => {
  const [from, name = '', value = ''] = findIn(place, /^\s*(\w+)\s+([^;{}]*);\s*$/) ?? [];
  const setting =
    name === 'include' && /(^|\/)mime\.types$/.test(value) ? (nginx: DraftNginx) => nginx : OWN[name];
  if (from === undefined || setting === undefined) return null;
  return replaced(place, from, '', (draft) => ({ ...draft, nginx: setting(draft.nginx, value) }));
};

const RULES: readonly Rule[] = [intoFolder, unknownServers, addresses, proxied, ownLine];
