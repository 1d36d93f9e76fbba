import { describe, expect, it } from 'vitest';
import { bindBuilds, buildsOfDefinition } from './builds';

const nginx = (path: string, ...names: string[]) => ({ path, name: names[0] ?? path, version: '', names });
const STOCK = nginx('/usr/sbin/nginx', 'nginx-1.22.1', 'nginx');
const TENGINE = nginx('/opt/tengine', 'tengine-3.2.0', 'tengine');

describe('builds', () => {
  it('are what levels and nginx name, each once', () => {
    const factors = [{ levels: [{ build: 'a' }, { build: null }, {}, { build: 'a' }] }];
    expect(buildsOfDefinition({ factors, nginx: { build: 'b' } })).toEqual(['a', 'b']);
    expect(buildsOfDefinition({})).toEqual([]);
  });

  it('are the binaries that answer to them, else those that no other build takes', () => {
    const hosts = [STOCK, TENGINE];
    expect(bindBuilds(['tengine', 'other'], hosts, {})).toEqual({
      tengine: '/opt/tengine',
      other: '/usr/sbin/nginx',
    });
    expect(bindBuilds(['a', 'b', 'c'], hosts, { b: '/usr/sbin/nginx' })).toEqual({
      b: '/usr/sbin/nginx',
      a: '/opt/tengine',
      c: '/usr/sbin/nginx',
    });
  });

  it('follow the host: a choice that it does not have is forgotten', () => {
    expect(bindBuilds(['nginx'], [STOCK], { nginx: '/opt/gone' })).toEqual({ nginx: '/usr/sbin/nginx' });
    expect(bindBuilds(['nginx'], [], {})).toEqual({});
  });
});
