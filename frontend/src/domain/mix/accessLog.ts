/**
 * Lines of an access log, by nginx's `log_format` or as JSON: what was asked, and how it was answered. `ngxlab mix`
 * reads logs alike (`cli/ngxlab_cli/mix/access_log.py`); the cases of `cli/tests/mixes.json` hold for both.
 */

const COMBINED = '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent';

/** Names of variables and of JSON's members for what is read: the first that is there. */
const NAMES = {
  request: ['request'],
  method: ['request_method', 'method', 'http_method'],
  uri: ['request_uri', 'uri', 'path', 'url'],
  status: ['status', 'status_code', 'response_code'],
  size: ['body_bytes_sent', 'bytes_sent', 'bytes', 'size', 'response_size'],
  time: ['msec', 'time_iso8601', 'time_local', 'time', 'timestamp', '@timestamp', 'ts'],
  took: ['request_time'],
} as const;
type Part = keyof typeof NAMES;
const PARTS = Object.keys(NAMES) as Part[];

/**
 * What a line says. `uri`: as it was asked. `size`: of the body, in bytes. `time`: as it is written, at the request's
 * end. `took`: seconds until then.
 */
export interface Line {
  method: string;
  uri: string;
  status: number;
  size: number | null;
  time: string;
  took: number | null;
}

/** `null`: the line is none of the format, or no request. */
export type Reader = (line: string) => Line | null;

/**
 * `format`: nginx's directive, its text, `combined` or `json`; where it is empty, the first line tells. The result is
 * `null` where a format does not tell what was asked.
 */
export function readerOf(format: string, firstLine: string): Reader | null {
  if (format === 'json' || (format === '' && firstLine.trimStart().startsWith('{'))) return ofJson;
  return ofFormat(format === '' || format === 'combined' ? COMBINED : textOf(format));
}

/** The format itself, out of the directive that declares it. */
function textOf(format: string): string {
  const declared = /^\s*log_format\s+\S+\s+(?:escape=\w+\s+)?([\s\S]*?);?\s*$/.exec(format)?.[1];
  if (declared === undefined) return format;
  const pieces = [...declared.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/g)];
  if (pieces.length === 0) return declared;
  return pieces
    .map((piece) => piece[1] ?? piece[2] ?? '')
    .join('')
    .replaceAll(/\\(.)/g, '$1');
}

function ofFormat(text: string): Reader | null {
  if (text.trimStart().startsWith('{')) return ofJson;
  const { expression, names } = expressionOf(text);
  const places = PARTS.flatMap((part) => {
    const found = NAMES[part].find((name) => names.includes(name));
    return found ? [[part, names.indexOf(found) + 1] as const] : [];
  });
  if (!places.some(([part]) => part === 'request' || part === 'uri')) return null;
  return (line) => {
    const match = expression.exec(line);
    return match && lineOf(Object.fromEntries(places.map(([part, place]) => [part, match[place] ?? ''])));
  };
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&');

/** The format as an expression with a group for each variable, in their order. */
function expressionOf(text: string) {
  const names: string[] = [];
  let source = '^';
  let at = 0;
  for (const match of text.matchAll(/\$(?:\{(\w+)\}|(\w+))/g)) {
    source += escaped(text.slice(at, match.index));
    names.push(match[1] ?? match[2] ?? '');
    at = match.index + match[0].length;
    source += `(${until(text.charAt(at))})`;
  }
  return { expression: new RegExp(source + escaped(text.slice(at))), names };
}

/** What a variable may be before that character; several values of one are apart by `, ` or ` : `. */
function until(following: string): string {
  if (following === '' || following === '$') return '\\S*';
  if (following === ' ') return '[^ ]*(?:(?:,| :) [^ ]*)*';
  return `(?:[^${escaped(following)}\\\\]|\\\\.)*`;
}

function ofJson(line: string): Line | null {
  let said: unknown;
  try {
    said = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof said !== 'object' || said === null) return null;
  const members = said as Record<string, unknown>;
  const first = (part: Part) => {
    const found = NAMES[part]
      .map((name) => members[name])
      .find((value) => /string|number/.test(typeof value));
    return String(found ?? '');
  };
  return lineOf(Object.fromEntries(PARTS.map((part) => [part, first(part)])));
}

function lineOf(said: Partial<Record<Part, string>>): Line | null {
  const { status = '', size = '', time = '', took = '' } = said;
  const asked = /^([A-Z]{1,20}) (\S+)(?: HTTP\/[0-9.]+)?$/.exec(said.request ?? '');
  const method = said.method || asked?.[1] || 'GET';
  const uri = asked?.[2] ?? said.uri ?? '';
  if (!/^[A-Z]{1,20}$/.test(method) || !uri) return null;
  return {
    method,
    uri,
    status: /^\d{3}$/.test(status) ? Number(status) : 0,
    size: /^\d{1,15}$/.test(size) ? Number(size) : null,
    time,
    took: /^\d{1,6}(\.\d+)?$/.test(took) ? Number(took) : null,
  };
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const LOCAL = /^(\d\d)\/([A-Z][a-z][a-z])\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)$/;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?([+-]\d\d:\d\d|Z)$/;

/** Seconds since 1970 of nginx's `$time_local`, `$time_iso8601` or `$msec`; `null` for anything else. */
export function secondsOf(time: string): number | null {
  if (/^\d{9,11}(\.\d+)?$/.test(time)) return Number(time);
  const [, day, name = '', year, clock, hours, minutes] = LOCAL.exec(time) ?? [];
  const month = String(MONTHS.indexOf(name) + 1).padStart(2, '0');
  const iso = day ? `${year}-${month}-${day}T${clock}${hours}:${minutes}` : time;
  const at = ISO.test(iso) ? Date.parse(iso) : Number.NaN;
  return Number.isNaN(at) ? null : at / 1000;
}
