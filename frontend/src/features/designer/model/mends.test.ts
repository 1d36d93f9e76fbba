import { describe, expect, it } from 'vitest';
import type { Curve, OpenLoop } from '@/api/generated';
import { blankDraft, type Draft } from './draft/draft';
import { blankFiles, blankUpstreamServer } from './draft/serverDraft';
import { filled } from './draft/values';
import { mendOf } from './mends';
import { localWarnings, problem } from './problems';
import { isServed } from './served';

const withNginx = (nginx: Partial<Draft['nginx']>, ...servers: string[]): Draft => {
  const draft = blankDraft();
  const upstream_servers = servers.map((key) => blankUpstreamServer(key));
  return { ...draft, nginx: { ...draft.nginx, ...nginx }, upstream_servers };
};
const mended = (draft: Draft, field: string, line: number) =>
  mendOf(draft, { ...problem(field, 'is wrong'), line })?.change(draft) ?? null;
const server = (text: string, line = 1) => mended(withNginx({ server: text }), 'nginx.server', line)?.nginx;

describe('what is put right by itself', () => {
  it.each([
    ['root /var/www/html;', 'root @@folder@@/files;'],
    ['location /a/ { alias /srv/a/; }', 'location /a/ { alias @@folder@@/files/; }'],
    ['access_log /var/log/nginx/a.log combined;', 'access_log @@folder@@/access.log combined;'],
    ['auth_basic_user_file /etc/nginx/users;', 'auth_basic_user_file @@folder@@/htpasswd;'],
  ])('is a path: %s', (from, to) => expect(server(from)?.server).toBe(to));

  it('is the folder of a cache, each in one of its own', () => {
    const http =
      'proxy_cache_path @@folder@@/cache keys_zone=a:1m;\nproxy_cache_path /var/cache/b keys_zone=b:1m;';
    expect(mended(withNginx({ http }), 'nginx.http', 2)?.nginx.http).toBe(
      'proxy_cache_path @@folder@@/cache keys_zone=a:1m;\nproxy_cache_path @@folder@@/cache-2 keys_zone=b:1m;',
    );
  });

  it('is none of what is right already, is in a comment, or takes a decision', () => {
    for (const text of ['root @@folder@@/files/a;', '# root /var/www;', 'access_log off;', 'gzip maybe;'])
      expect(server(text)).toBeUndefined();
    expect(mendOf(withNginx({ server: 'root /a;' }), problem('nginx.server', 'too long'))).toBeNull();
    const fromHost = { ...problem('nginx.server', 'said by nginx'), line: 1, source: 'vm' };
    expect(mendOf(withNginx({ server: 'root /a;' }), fromHost)).toBeNull();
  });

  it('is what a listed curve has of a range', () => {
    const draft = blankDraft();
    const [stream] = draft.streams;
    const curve = filled<Curve>('Curve', { rates_per_s: [1, 2, 3], rates: 8 });
    const open_loop = { ...filled<OpenLoop>('OpenLoop', {}), curve };
    const listed: Draft = { ...draft, streams: [{ ...(stream ?? expect.fail()), open_loop }] };
    const mend = mendOf(listed, problem('streams.0.open_loop.curve.rates', 'means nothing'));
    expect(mend?.from).toBe('rates: 8');
    expect(mend?.change(listed).streams[0]?.open_loop?.curve?.rates).toBe(10);
  });

  it('is the key of servers', () => {
    const http = 'upstream app {\n    {{ servers("KEY") }}\n}';
    const known = mended(withNginx({ http }, 'web'), 'nginx.http', 2);
    expect(known?.nginx.http).toBe('upstream app {\n    {{ servers("web") }}\n}');
    expect(known?.upstream_servers).toHaveLength(1);
    const made = mended(withNginx({ http }), 'nginx.http', 2);
    expect(made?.nginx.http).toContain('{{ servers("app") }}');
    expect(made?.upstream_servers.map(({ key }) => key)).toEqual(['app']);
  });

  it('is the addresses of an upstream: one declared server in as many instances', () => {
    const http =
      'keepalive_timeout 5;\nupstream back {\n    server 10.0.0.1:80;\n    server 10.0.0.2:80;\n    keepalive 8;\n}';
    const draft = mended(withNginx({ http }), 'nginx.http', 4);
    expect(draft?.nginx.http).toBe(
      'keepalive_timeout 5;\nupstream back {\n    {{ servers("back") }}\n    keepalive 8;\n}',
    );
    expect(draft?.upstream_servers.map(({ key, instances }) => [key, instances])).toEqual([['back', 2]]);
  });

  it('keeps the options of each address', () => {
    const http = 'upstream app { server a:1 weight=3 fail_timeout=5s; server b:2 backup; }';
    expect(mended(withNginx({ http }), 'nginx.http', 1)?.nginx.http).toBe(
      'upstream app { {{ servers("app", instance=1, weight=3, fail_timeout="5s") }} {{ servers("app", instance=2, backup=true) }} }',
    );
  });

  it('is the address of proxy_pass, with an upstream for it', () => {
    const draft = mended(
      withNginx({ server: 'location / {\n    proxy_pass http://127.0.0.1:8080/api;\n}', http: '' }),
      'nginx.server',
      2,
    );
    expect(draft?.nginx.server).toContain('proxy_pass http://app/api;');
    expect(draft?.nginx.http).toBe('upstream app {\n    {{ servers("app") }}\n}\n');
    expect(draft?.upstream_servers.map(({ key }) => key)).toEqual(['app']);
  });

  it('is what ngxlab writes itself: the line goes, and what it set is kept', () => {
    expect(server('listen 80;\nreturn 200;')?.server).toBe('return 200;');
    expect(server('ssl_certificate /etc/a.pem;')).toMatchObject({ server: '', tls: true });
    const main = mended(withNginx({ main: 'worker_processes 4;' }), 'nginx.main', 1);
    expect(main?.nginx).toMatchObject({ main: '', workers: 4 });
  });

  it('is a variable that nothing uses', () => {
    const variables = [{ name: 'gzip', value: 'gzip on;' }];
    const factors = [{ key: 'f', label: 'f', levels: [{ key: 'l', label: 'l', variables, build: null }] }];
    const draft = { ...withNginx({ server: 'return 200;' }), factors };
    const found = mendOf(draft, problem('factors.0.levels.0.variables.gzip', 'nothing uses it'));
    expect(found?.change(draft).nginx.server).toBe('return 200;\n{{ gzip }}\n');
  });
});

describe('files', () => {
  const files = [blankFiles('pages')];
  const served = (text: string, levels: string[] = []) =>
    isServed(withNginx({ server: text }).nginx, 'pages', levels);

  it.each([
    ['root @@folder@@/files;\nlocation = /x { return 200; }', true],
    ['location / {\n    root @@folder@@/files;\n}', true],
    ['location /pages/ { root @@folder@@/files; }', true],
    ['location ~ ^/p { root @@folder@@/files; }', true],
    ['location /pages/ { alias @@folder@@/files/pages/; }', true],
    ['location /other/ { root @@folder@@/files; }', false],
    ['# root @@folder@@/files;', false],
    ['location / { return 200; }', false],
  ])('are served or not by %s', (text, expected) => expect(served(text)).toBe(expected));

  it('that levels serve are left to them', () =>
    expect(served('{{ root }}', ['root @@folder@@/files;'])).toBe(true));

  it('without a location are warned of, and get one', () => {
    const draft = withNginx({ files });
    const [warning] = localWarnings(draft);
    expect(warning?.field).toBe('nginx.files.0');
    const next = warning && mendOf(draft, warning)?.change(draft);
    expect(next?.nginx.server).toContain('location /pages/ {\n    root @@folder@@/files;\n}');
    expect(next && localWarnings(next)).toEqual([]);
  });
});
