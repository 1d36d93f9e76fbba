import { CompletionContext } from '@codemirror/autocomplete';
import { EditorState } from '@codemirror/state';
import { describe, expect, it } from 'vitest';
import { completions, placeAtEnd } from './completion';

const KNOWN = { block: 'server', expressions: ['gzip', 'servers("app")'] };

/** What is offered at `|`, and from where on it would be replaced. */
function offered(marked: string, explicit = false) {
  const pos = marked.indexOf('|');
  const state = EditorState.create({ doc: marked.replace('|', '') });
  const found = completions(KNOWN)(new CompletionContext(state, pos, explicit));
  return (
    found && { from: found.from, labels: found.options.map(({ label }) => label), options: found.options }
  );
}

describe('The place in a configuration', () => {
  it.each([
    ['', 'server', null],
    ['gzip on; ', 'server', null],
    ['gzip ', 'server', 'gzip'],
    ['location / { ', 'location', null],
    ['location / { return 200 "}"; # }\n', 'location', null],
    ['location / { if ($a) { return 403; } } ', 'server', null],
    ['{{ gzip }} {% if a %} ', 'server', null],
    ['add_header X "a; {', 'server', 'add_header'],
    ['# no ', 'server', '# no '],
    ['# no\n', 'server', null],
    ['} ', 'server', null],
  ])('after %s is in %s', (text, block, statement) => {
    expect(placeAtEnd(text, 'server')).toEqual({ block, statement });
  });
});

describe('What is offered', () => {
  it('are the directives of the block', () => {
    expect(offered('gz|')?.labels).toContain('gzip_comp_level');
    expect(offered('lo|')?.labels).not.toContain('limit_req_zone');
    expect(offered('location / { t|')?.labels).toContain('try_files');
    expect(offered('gzip on; |', true)?.labels).toContain('keepalive_timeout');
  });

  it('is nothing among the arguments of a directive, or unasked', () => {
    expect(offered('gzip o|')).toBeNull();
    expect(offered('gzip on; |')).toBeNull();
  });

  it('are variables of levels and calls in an expression, which is closed then', () => {
    const found = offered('gzip {{ gz|');
    expect(found?.labels).toEqual(KNOWN.expressions);
    expect(found?.from).toBe('gzip {{ '.length);
    expect(found?.options[1]?.apply).toBe('servers("app") }}');
    expect(offered('{{ | }}')?.options[0]?.apply).toBe('gzip');
  });

  it('are variables of nginx, and the folder of the trial', () => {
    expect(offered('add_header X $upstream_|')?.labels).toContain('$upstream_cache_status');
    expect(offered('proxy_cache_path @@|')?.labels).toEqual(['@@folder@@']);
  });
});
