import { describe, expect, it } from 'vitest';
import { configurationOf, matching, pasted } from './configurations';

describe('configurationOf', () => {
  it('takes the main file and what it includes, and nothing else', () => {
    const made = configurationOf([
      { path: 'etc/server.key', text: 'secret' },
      { path: 'etc/conf.d/a.conf', text: 'set $token abc;' },
      { path: 'etc/nginx.conf', text: 'include /etc/nginx/conf.d/*.conf; # comment' },
    ]);
    expect(made).toEqual({
      name: 'nginx.conf',
      files: [
        { path: 'etc/nginx.conf', text: 'include /etc/nginx/conf.d/*.conf; #' },
        { path: 'etc/conf.d/a.conf', text: 'set $token ********;' },
      ],
    });
  });

  it('is nothing where nothing was given', () => {
    expect(configurationOf([])).toBeNull();
    expect(configurationOf(pasted('  \n'))).toBeNull();
  });

  it('matches names as a shell does', () => {
    const paths = ['conf.d/.a.conf', 'conf.d/b.conf', 'conf.d/c.txt', 'mime.types'];
    expect(matching('/etc/nginx/conf.d/*.conf', paths)).toEqual(['conf.d/b.conf']);
    expect(matching('/etc/nginx/mime.types', paths)).toEqual(['mime.types']);
    expect(matching('../x', paths)).toEqual([]);
    expect(matching('/etc/nginx/other/*', paths)).toEqual([]);
  });
});
