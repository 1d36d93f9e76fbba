import { Blob as FileOfNode } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { secondsOf } from './accessLog';
import { gapsOf, instantsOf } from './arrivals';
import { mixOf, rateOf } from './model';
import { stripped } from './privatePaths';
import { readLog } from './readLog';

interface Case {
  what: string;
  lines?: string[];
  repeat?: [count: number, line: string, modulus?: number];
  zipf?: [count: number, line: string];
  format?: string;
  top?: number;
  least?: number;
  gaps?: string;
  secrets: string[];
  expected: Record<string, unknown>;
}
const cases = JSON.parse(readFileSync('../cli/tests/mixes.json', 'utf8')) as Case[];

function linesOf({ lines, repeat, zipf }: Case): string[] {
  if (lines) return lines;
  if (zipf) {
    const [most, asked] = zipf;
    return Array.from({ length: most }, (_, at) =>
      Array<string>(Math.floor(most / (at + 1))).fill(asked.replaceAll('%d', String(at))),
    ).flat();
  }
  const [count, line, modulus = count] = repeat ?? [0, ''];
  return Array.from({ length: count }, (_, at) => line.replaceAll('%d', String(at % modulus)));
}

/** jsdom's cannot be read piece by piece. */
const fileOf = (content: string | Uint8Array<ArrayBuffer>) => new FileOfNode([content]) as unknown as Blob;

describe('readLog', () => {
  it.each(cases)('$what', async (one) => {
    const { format = '', top = 200, least = 1, expected, secrets } = one;
    const model = await readLog(fileOf(linesOf(one).join('\n')), { format });
    if (!model) throw new Error('the format is refused');
    const { laws, ...mix } = mixOf(model, { top, least });
    const { requests: read, unread, queries, hidden } = model;
    expect({ ...mix, read, unread, queries, hidden, per_s: rateOf(model) }).toEqual(expected);
    expect(laws.size).toBe(mix.requests.filter(({ draw }) => draw === 'zipf').length);
    if (one.gaps) expect(gapsOf(model.arrivals)).toBe(one.gaps);
    for (const secret of secrets) expect(JSON.stringify(mix)).not.toContain(secret);
  });

  it('unpacks what gzip has packed, and tells how far it is', async () => {
    const line = '192.0.2.7 - - [27/Nov/2026:08:00:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "-"\r\n';
    const shares: number[] = [];
    const packed = fileOf(new Uint8Array(gzipSync(line.repeat(1000))));
    const model = await readLog(packed, { format: '', onProgress: (share) => shares.push(share) });
    expect(model?.requests).toBe(1000);
    expect(shares.at(-1)).toBe(1);
  });

  it('refuses a format that does not say what was asked', async () => {
    expect(await readLog(fileOf('x\n'), { format: '$status' })).toBeNull();
  });

  it('ends when it is told to', async () => {
    const signal = AbortSignal.abort();
    await expect(readLog(fileOf('x\n'), { format: '', signal })).rejects.toThrow();
  });
});

describe('instantsOf', () => {
  it('reads what is written', () => {
    expect(instantsOf('6Pv8DkmC')).toEqual([0, 0.0506, 0.4489, 0.6733]);
  });
});

describe('stripped', () => {
  it.each(['alice@example.org', '4711', 'aB3xZ', 'd41d8cd98f00b204', crypto.randomUUID()])(
    'hides %s',
    (secret) => {
      for (const place of ['/x/%', '/%/y', '/a?t=%', '/a;s=%/b', '/x/%.html'])
        expect(stripped(place.replace('%', secret))?.path).not.toContain(secret);
    },
  );
});

describe('secondsOf', () => {
  it('understands the times of nginx', () => {
    const known = ['27/Nov/2026:09:00:00 +0100', '2026-11-27T08:00:00+00:00', '1795766400.000'];
    expect(new Set(known.map(secondsOf))).toEqual(new Set([1795766400]));
    expect(['', 'yesterday', '27/Foo/2026:09:00:00 +0100'].map(secondsOf)).toEqual([null, null, null]);
  });
});
