import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serve } from '@/test/server';
import { isOutdated } from './release';

const page = (entry: string) => () =>
  new Response(`<!doctype html><script type="module" crossorigin src="/assets/${entry}"></script>`);

describe('isOutdated', () => {
  beforeEach(() => {
    const script = document.createElement('script');
    script.type = 'module';
    script.setAttribute('src', '/assets/index-1.js');
    document.head.append(script);
  });
  afterEach(() => document.head.replaceChildren());

  it('compares the entry of this page with that of the server', async () => {
    const server = serve({ 'GET /login': page('index-1.js') });
    expect(await isOutdated()).toBe(false);
    server.answer('GET /login', page('index-2.js'));
    expect(await isOutdated()).toBe(true);
  });

  it('takes no error page for a version', async () => {
    serve({ 'GET /login': () => new Response('<h1>Bad gateway</h1>', { status: 502 }) });
    expect(await isOutdated()).toBe(false);
  });

  it('asks no server about a report that was kept as a file', async () => {
    document.head.replaceChildren();
    const server = serve({});
    expect(await isOutdated()).toBe(false);
    expect(server.to('GET /login')).toEqual([]);
  });
});
