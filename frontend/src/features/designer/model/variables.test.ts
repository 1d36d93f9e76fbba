import { describe, expect, it } from 'vitest';
import { blankDraft, type Draft } from './draft/draft';
import { newFactor, withFactors } from './structure';
import {
  addVariable,
  fragmentFor,
  gridOf,
  isUsed,
  labelFrom,
  levelValue,
  removeVariable,
  renameFactorWithVariable,
  renameVariable,
  variablesOf,
  withGrid,
  withInserted,
  withVariable,
} from './variables';

const draft = withFactors(blankDraft(), (all) => [...all, newFactor(all)]);
const factorOf = ({ factors }: Draft, place = 0) => factors[place] ?? expect.fail('no such factor');
const cells = (of: Draft) =>
  factorOf(of).levels.map((level) => [
    level.label,
    ...variablesOf(factorOf(of)).map((name) => levelValue(level, name)),
  ]);

describe('the table of levels', () => {
  it('has one column at first, that is called as its factor until something uses it', () => {
    const named = renameFactorWithVariable(draft, 0, { label: 'Access log' });
    expect(variablesOf(factorOf(named))).toEqual(['access_log']);
    const used = withInserted(named, 'server', 'access_log');
    const again = renameFactorWithVariable(used, 0, { label: 'Logging' });
    expect(variablesOf(factorOf(again))).toEqual(['access_log']);
  });

  it('gets a column in all levels at once, and loses it in all', () => {
    const two = addVariable(draft, 0);
    expect(cells(two)).toEqual([
      ['Level 1', '', ''],
      ['Level 2', '', ''],
    ]);
    const [, added = ''] = variablesOf(factorOf(two));
    expect(cells(removeVariable(withVariable(two, 0, 1, added, 4), 0, added))).toEqual(cells(draft));
  });

  it('leaves what a level does not set alone', () => {
    const bare = withFactors(draft, ([one, ...others]) => [
      {
        ...(one ?? expect.fail()),
        levels: one?.levels.map((level, at) => (at ? { ...level, variables: [] } : level)) ?? [],
      },
      ...others,
    ]);
    expect(levelValue(factorOf(bare).levels[1], 'factor_1')).toBeUndefined();
    expect(levelValue(factorOf(withVariable(bare, 0, 1, 'factor_1', 'x')).levels[1], 'factor_1')).toBe('x');
  });
});

describe('a renamed variable', () => {
  const server = '{{ gzip }} {% if gzip == "gzip" %}{% endif %} {{ gzip("a") }} gzip {{ a.gzip }}';
  const used = { ...renameVariable(draft, 0, 'factor_1', 'gzip'), nginx: { ...draft.nginx, server } };

  it('is renamed where it is used, and nowhere else', () => {
    expect(renameVariable(used, 0, 'gzip', 'zip').nginx.server).toBe(
      '{{ zip }} {% if zip == "gzip" %}{% endif %} {{ gzip("a") }} gzip {{ a.gzip }}',
    );
  });

  it('stays where it is used if another factor sets it, too', () => {
    const twice = withFactors(used, ([one]) => (one ? [one, { ...one, key: 'other' }] : []));
    expect(renameVariable(twice, 0, 'gzip', 'zip').nginx.server).toBe(server);
  });

  it('changes no word of expressions', () => {
    const named = renameVariable(draft, 0, 'factor_1', 'if');
    expect(renameVariable({ ...named, nginx: used.nginx }, 0, 'if', 'x').nginx.server).toBe(server);
  });
});

describe('a variable that nothing uses', () => {
  it.each([
    ['gzip on;', 'server'],
    ['accept_mutex on;', 'events'],
    ['worker_rlimit_nofile 1000;', 'main'],
    ['proxy_cache_path /a keys_zone=a:1m;', 'http'],
    ['limit_req_zone $uri zone=a:1m rate=1r/s;', 'http'],
    ['location / { return 204; }', 'server'],
    ['on', null],
    ['4', null],
  ])('with %s belongs into %s', (value, fragment) => {
    const set = withVariable(draft, 0, 1, 'factor_1', value);
    expect(fragmentFor(factorOf(set), 'factor_1')).toBe(fragment);
  });

  it('is inserted in a line of its own, and used then', () => {
    const before = { ...draft, nginx: { ...draft.nginx, server: 'root x;' } };
    const after = withInserted(before, 'server', 'factor_1');
    expect(after.nginx.server).toBe('root x;\n{{ factor_1 }}\n');
    expect([isUsed(before, 'factor_1'), isUsed(after, 'factor_1')]).toEqual([false, true]);
  });
});

describe('cells of a spreadsheet', () => {
  it('are lines with tabs, or a table', () => {
    expect(gridOf('a\t1\nb\t2\n', '')).toEqual([
      ['a', '1'],
      ['b', '2'],
    ]);
    expect(gridOf('', '<table><tr><td>gzip on;<br>x y;</td></tr><tr><td>b</td></tr></table>')).toEqual([
      ['gzip on;\nx y;'],
      ['b'],
    ]);
    for (const text of [
      'server {\n\tlisten 80;\n}',
      'text/html\thtml;\ntext/css\tcss;',
      '\ta\tb',
      'gzip on;',
    ])
      expect(gridOf(text, '')).toBeNull();
  });

  it('fill the table from a cell on, with levels and columns as they need', () => {
    const grid = [
      ['Off', 'off', '1'],
      ['On', 'on', '2'],
      ['Auto', 'auto', '3'],
    ];
    const filled = withGrid(draft, 0, 0, -1, grid);
    expect(cells(filled)).toEqual([
      ['Off', 'off', 1],
      ['On', 'on', 2],
      ['Auto', 'auto', 3],
    ]);
    expect(factorOf(filled).levels.map(({ key }) => key)).toEqual(['off', 'on', 'auto']);
  });
});

describe('a level that nobody has named', () => {
  it.each([
    ['gzip on;\ngzip_types text/plain;', 'gzip on'],
    ['gzip off;\ngzip_types text/plain;', 'gzip_types text/plain'],
    [4, 'factor_1 4'],
    ['gzip off;', null],
    ['', null],
    ['x'.repeat(50), null],
  ])('with %s is called %s', (value, label) => {
    const other = withVariable(draft, 0, 0, 'factor_1', 'gzip off;');
    const factor = factorOf(withVariable(other, 0, 1, 'factor_1', value));
    expect(labelFrom(factor, 1, 'factor_1')).toBe(label);
    const named = { ...factor, levels: factor.levels.map((level) => ({ ...level, label: 'Mine' })) };
    expect(labelFrom(named, 1, 'factor_1')).toBeNull();
  });
});
