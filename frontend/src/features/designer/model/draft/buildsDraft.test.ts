import { describe, expect, it } from 'vitest';
import { aHostRow } from '@/test/fixtures';
import { aNginx } from '@/test/nginx';
import { buildsDraft, factorOfBuilds, levelsOfBuilds } from './buildsDraft';

const host = (...nginx: ReturnType<typeof aNginx>[]) => aHostRow({ nginx });
const COPY = { ...aNginx(), name: '/opt/copy/nginx', path: '/opt/copy/nginx' };

describe('an experiment about builds', () => {
  it('has a level for each of two builds of the first host that has two', () => {
    const hosts = [host(aNginx()), host(aNginx(), aNginx('3.2.0', '/t', 'tengine'))];
    expect(levelsOfBuilds(hosts)).toEqual([
      { key: 'nginx-1-22-1', label: 'nginx/1.22.1', variables: [], build: 'nginx-1.22.1' },
      { key: 'tengine-3-2-0', label: 'tengine/3.2.0', variables: [], build: 'tengine-3.2.0' },
    ]);
    expect(buildsDraft(hosts)).toMatchObject({ baseline: 'nginx-1-22-1', name: 'Two nginx builds' });
  });

  it('names no path, and tells equal versions apart', () => {
    const [, second] = levelsOfBuilds([host(aNginx(), COPY)]);
    expect(second).toMatchObject({ build: 'opt-copy-nginx', label: 'nginx/1.22.1 (/opt/copy/nginx)' });
  });

  it('leaves to a person what no host has', () => {
    expect(levelsOfBuilds([host(aNginx())]).map(({ build }) => build)).toEqual(['nginx-1.22.1', '']);
    expect(levelsOfBuilds([]).map(({ key }) => key)).toEqual(['build-1', 'build-2']);
  });

  it('has a factor of its own beside others', () => {
    const first = factorOfBuilds([]);
    expect(factorOfBuilds([], [first]).key).toBe('build-2');
  });
});
