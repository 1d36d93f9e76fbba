import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BLANK_COLD, blankUpstreamServer } from './serverDraft';
import { blankStream, withEngine, withPaths } from './streamDraft';

interface Described {
  components: { schemas: Record<string, { properties: Record<string, { default?: unknown }> }> };
}

const { components } = JSON.parse(readFileSync('openapi.json', 'utf8')) as Described;

/** What the server takes for fields that are left out, by their names. */
function defaultsOf(schema: string): Record<string, unknown> {
  const properties = Object.entries(components.schemas[schema]?.properties ?? {});
  const own = properties.map(([name, property]) => [name, property.default] as const);
  return Object.fromEntries(own.filter(([, value]) => value !== undefined));
}

describe('a new draft begins with the defaults that the API describes', () => {
  const stream = { ...blankStream('main'), headers: {} };
  it.each([
    ['Stream', stream],
    ['OpenLoop', withEngine(blankStream('main'), 'open-loop').open_loop],
    ['IdleHold', withEngine(blankStream('main'), 'idle-hold').idle_hold],
    ['PathChoice', withPaths(blankStream('main'), true, []).paths],
    ['UpstreamServer', { ...blankUpstreamServer('app'), server: '' }],
    ['ColdFiles', BLANK_COLD],
  ])('%s', (schema, draft) => {
    const described = defaultsOf(schema);
    expect(described).not.toEqual({});
    expect(draft).toMatchObject(described);
  });
});
