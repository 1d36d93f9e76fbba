import { describe, expect, it } from 'vitest';
import type { Curve } from '@/api/generated';
import { engineChoices } from '@/domain/engines';
import { blankDraft, toDefinition, toDraft } from './draft';
import { everything } from './everything.testdata';
import { withLog } from './logDraft';
import { blankPerturbation, whensOf, withAction, withWhen } from './perturbationDraft';
import { lengthOf, rateProfile, requestsOf } from './rateProfile';
import {
  blankFiles,
  blankGroup,
  blankUpstreamServer,
  blankUpstreams,
  withBehaviour,
  withContent,
  withFiles,
  withSizes,
  withThrough,
  withTls,
} from './serverDraft';
import {
  blankRequest,
  blankStream,
  pointsOfCurve,
  withCurvePoints,
  withEngine,
  withMix,
  withPaths,
  withRates,
  withRequestGrid,
} from './streamDraft';
import { filled } from './values';

/** A definition as an API gives it that leaves out what has its default. */
function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, own]) => own !== null && own !== false && own !== '');
  return Object.fromEntries(kept.map(([name, own]) => [name, withoutDefaults(own)]));
}

describe('a draft of everything', () => {
  it('is the definition it came from: engines, behaviours, perturbations, cold files, upstreams', () => {
    expect(toDefinition(toDraft('A name', everything()))).toEqual(everything());
  });

  it('gets back the defaults that a definition leaves out', () => {
    const short = withoutDefaults(everything()) as ReturnType<typeof everything>;
    expect(JSON.stringify(short)).not.toContain('null');
    expect(toDefinition(toDraft('A name', short))).toEqual(everything());
  });

  it('fills in the least that a part needs', () => {
    const draft = toDraft('A name', {
      ...everything(),
      upstream_servers: [{ key: 'b', slot: 's', behaviour: { kind: 'slow', delay_ms: 5 } }],
      perturbations: [{ key: 'p', when: { kind: 'every', every_s: 1 }, action: { kind: 'http' } }],
    });
    expect(draft.upstream_servers[0]).toMatchObject({
      server: '',
      behaviour: { distribution: 'constant', spread_ms: 0 },
    });
    expect(draft.perturbations[0]).toMatchObject({
      slot: 'target',
      when: { from_s: 0, until_s: null },
      action: { endpoint: 'target', method: 'GET', path: '/', body: null, timeout_s: 10 },
    });
  });
});

describe('another engine', () => {
  it('brings its own part and leaves no other', () => {
    for (const { value: from } of engineChoices())
      for (const { value: to } of engineChoices()) {
        const turned = withEngine(withEngine({ ...blankStream('s'), script: 'x', probe: true }, from), to);
        expect(turned.engine).toBe(to);
        expect(turned.open_loop !== null, `${from} to ${to}`).toBe(to === 'open-loop');
        expect(turned.idle_hold !== null, `${from} to ${to}`).toBe(to === 'idle-hold');
        if (from !== to) expect(turned).toMatchObject({ probe: false, script: null });
      }
  });

  it('asks for one path or for many, those of the files there are', () => {
    const many = withPaths({ ...blankStream('s'), path: '/x' }, true, [{ folder: 'big', count: 7 }]);
    expect(many).toMatchObject({
      path: '/',
      script: null,
      paths: { pattern: '/big/{n}', count: 7, seed: 1 },
    });
    expect(withPaths(many, false, []).paths).toBeNull();
  });

  it('has one rate, or steps that begin with it', () => {
    const part = withEngine(blankStream('s'), 'open-loop').open_loop ?? expect.fail();
    const stepped = withRates({ ...part, rate_per_s: 250 }, 'steps');
    expect(stepped).toMatchObject({ rate_per_s: null, steps: [{ per_s: 250 }] });
    expect(withRates(stepped, 'steps')).toBe(stepped);
    expect(withRates(stepped, 'constant')).toMatchObject({ rate_per_s: 250, steps: [] });
    const searching = withRates(stepped, 'search');
    expect(searching).toMatchObject({
      rate_per_s: null,
      steps: [],
      capacity: { goal: { p99_ms: 50, p90_ms: null, errors_percent: 0.1 }, from_per_s: 250, to_per_s: 5000 },
    });
    expect(withRates(searching, 'constant')).toMatchObject({ rate_per_s: 250, capacity: null });
    const curve = withRates(searching, 'curve');
    expect(curve).toMatchObject({ capacity: null, curve: { from_per_s: 250, to_per_s: 2500, rates: 10 } });
    expect(withRates(curve, 'constant')).toMatchObject({ rate_per_s: 250, curve: null });
  });

  it('has a curve of a range or of a list, and nothing of the other', () => {
    const stream = withEngine(blankStream('s'), 'open-loop');
    const curve = filled<Curve>('Curve', { from_per_s: 5, to_per_s: 50, rates: 7, order: 'ascending' });
    const part = { ...(stream.open_loop ?? expect.fail()), rate_per_s: null, curve };
    const listed = withCurvePoints({ ...stream, open_loop: part }, 'percents').open_loop?.curve;
    expect(listed).toMatchObject({ from_per_s: null, rates: 10, of_per_s: 1000, order: 'ascending' });
    expect(pointsOfCurve(listed ?? expect.fail())).toBe('percents');
    expect(pointsOfCurve({ ...(listed ?? expect.fail()), percents: [] })).toBeNull();
    expect(pointsOfCurve({ ...curve, to_per_s: null })).toBe('range');
  });
});

describe('the planned rate', () => {
  const part = withEngine(blankStream('s'), 'open-loop').open_loop ?? expect.fail();
  const steps = [
    { per_s: 0, to_per_s: 100, duration_s: 10 },
    { per_s: 50, to_per_s: null, duration_s: 4 },
  ];

  it('goes through its corners, goes on after the last and ends with the stream', () => {
    const whole = rateProfile({ ...part, steps }, 20) ?? expect.fail();
    expect(whole.map(({ t_s, per_s }) => [t_s, per_s])).toEqual([
      [0, 0],
      [10, 100],
      [10, 50],
      [14, 50],
      [20, 50],
    ]);
    expect(requestsOf(whole)).toBe(500 + 200 + 300);
    const cut = rateProfile({ ...part, steps }, 5) ?? expect.fail();
    expect(cut.at(-1)).toEqual({ t_s: 5, per_s: 50 });
    expect(requestsOf(cut)).toBe(125);
  });

  it('is not known while a number is missing or depends on the arm', () => {
    expect(rateProfile({ ...part, rate_per_s: '{{ rate }}' }, 10)).toBeNull();
    expect(rateProfile({ ...part, steps: [{ per_s: 1, to_per_s: '', duration_s: 1 }] }, 10)).toBeNull();
    expect(lengthOf(blankStream('s'), { warmup_s: 1, measure_s: '' })).toBeNull();
    expect(lengthOf({ ...blankStream('s'), start_offset_s: 2 }, { warmup_s: 1, measure_s: 9 })).toBe(8);
  });
});

describe('a upstream', () => {
  it('is either ready-made or written by hand', () => {
    const sink = withBehaviour(blankUpstreamServer('b'), 'sink');
    expect(sink).toMatchObject({ behaviour: { kind: 'sink' }, server: '' });
    expect(withBehaviour(sink, 'sink')).toBe(sink);
    expect(withBehaviour(sink, 'own')).toEqual(blankUpstreamServer('b'));
  });
});

describe('a perturbation', () => {
  const one = blankPerturbation('p');
  const none = { taken: [], groups: [] };

  it('is scheduled in a way that its action can be', () => {
    const pressure = withAction(withWhen(one, 'every'), 'cpu-pressure', none);
    expect(pressure.when.kind).toBe('during');
    expect(whensOf(pressure)).toEqual(['during']);
    expect(withAction(pressure, 'sync', none).when.kind).toBe('once');
    expect(withAction(withWhen(one, 'every'), 'sync', none).when.kind).toBe('every');
    expect(withAction(one, 'churn', { taken: [], groups: ['g', 'h'] }).action).toMatchObject({ group: 'g' });
  });

  it('is named after its action until it was named', () => {
    const first = { taken: ['sync'], groups: [] };
    expect(withAction(blankPerturbation('reload'), 'sync', first).key).toBe('sync-2');
    expect(withAction(one, 'sync', first).key).toBe('p');
  });

  it('keeps its beginning under another schedule', () => {
    const late = { ...one, when: { kind: 'once' as const, at_s: 7 } };
    expect(withWhen(late, 'every').when).toMatchObject({ from_s: 7, every_s: 1 });
    expect(withWhen(withWhen(late, 'every'), 'once').when).toEqual({ kind: 'once', at_s: 7 });
  });
});

describe('nginx', () => {
  it('says how files are kept cold exactly where some are', () => {
    const set = blankFiles('f');
    const cold = withFiles(blankDraft().nginx, [set, { ...set, cold: true }]);
    expect([cold.files.map((own) => own.cold), cold.cold_files?.method]).toEqual([[false, true], 'evict']);
    expect(withFiles(cold, [set, set]).cold_files).toBeNull();
  });

  it('says either one size of files or how their sizes are distributed', () => {
    const spread = withSizes(blankFiles('f'), 'lognormal');
    expect([spread.size_bytes, spread.sizes?.kind]).toEqual([null, 'lognormal']);
    expect(withSizes(spread, 'fixed')).toEqual(blankFiles('f'));
  });

  it('says nothing of a certificate without TLS', () => {
    const served = { ...withTls(blankDraft().nginx, true), certificate_key: 'rsa4096', certificate_chain: 3 };
    expect(withTls(served, true)).toMatchObject({
      tls: true,
      certificate_key: 'rsa4096',
      certificate_chain: 3,
    });
    expect(withTls(served, false)).toMatchObject({
      tls: false,
      certificate_key: 'p256',
      certificate_chain: 1,
    });
  });

  it('asks only text how far it compresses', () => {
    const text = { ...withContent(blankFiles('f'), 'text'), compression_ratio: 4 };
    expect(withContent(text, 'text').compression_ratio).toBe(4);
    expect(withContent(text, 'html').compression_ratio).toBeNull();
  });

  it('drops what only the former way of changing groups knew', () => {
    const lua = { ...blankUpstreams('app'), lock_us_per_node: 30, trylock: true };
    expect(withThrough(lua, 'tengine')).toMatchObject({ lock_us_per_node: 0, trylock: true });
    const tengine = {
      ...withThrough(lua, 'tengine'),
      groups: [{ ...blankGroup('a', 'app'), health_check: '' }],
    };
    expect(withThrough(tengine, 'lua').groups[0]?.health_check).toBeNull();
    expect(withThrough(lua, 'reload')).toMatchObject({ lock_us_per_node: 0, trylock: false });
  });

  it('begins plain', () => expect(blankDraft().nginx.upstreams).toBeNull());
});

describe('a mix', () => {
  const single = { ...withEngine(blankStream('main'), 'open-loop'), method: 'POST', path: '/a', body: 'x' };

  it('begins with the one request that it replaces, and leaves it when it is taken back', () => {
    const mixed = withMix(single, true);
    expect(mixed).toMatchObject({ method: 'GET', path: '/', body: null });
    expect(mixed.requests).toMatchObject([{ weight: 1, method: 'POST', path: '/a', body: 'x' }]);
    expect(withMix(mixed, false)).toEqual(single);
    expect(withEngine(mixed, 'wrk').requests).toEqual([]);
  });

  it('takes cells of a spreadsheet from a field on', () => {
    const grid = [
      ['GET', '/a/{n}', '10', 'zipf', '1.5'],
      ['PUT', '/b', '', 'uniform', '1'],
    ];
    const [first, second, third] = withRequestGrid([blankRequest(), blankRequest()], 1, 'method', grid);
    expect(first).toEqual(blankRequest());
    expect(second).toMatchObject({
      weight: 1,
      method: 'GET',
      path: '/a/{n}',
      count: 10,
      draw: 'zipf',
      exponent: 1.5,
    });
    expect(third).toMatchObject({ method: 'PUT', path: '/b', count: null });
  });

  it('comes from a log with files that answer it, once', () => {
    const mix = {
      requests: [{ weight: 3, path: '/a' }],
      files: [{ folder: 'mix-256', count: 1, size_bytes: 100 }],
      server: 'location = /a { try_files /mix-256/0 =404; }',
      kept: 3,
      answered: 3,
      laws: new Map(),
    };
    const draft = { ...blankDraft(), streams: [single] };
    const own = { ...draft, nginx: { ...draft.nginx, files: [blankFiles('own')] } };
    const once = withLog(own, 'streams.0', mix, { answers: true });
    expect(once.streams[0]?.requests).toEqual([{ ...blankRequest(), weight: 3, path: '/a' }]);
    expect(once.nginx.files.map(({ folder }) => folder)).toEqual(['own', 'mix-256']);
    expect(once.nginx.server).toBe(mix.server);
    expect(withLog(once, 'streams.0', mix, { answers: true })).toEqual(once);
    expect(withLog(own, 'streams.0', mix, { answers: false }).nginx).toEqual(own.nginx);
  });
});
