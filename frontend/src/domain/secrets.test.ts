import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { includesOf, withoutSecrets } from './secrets';

interface Case {
  what: string;
  text: string;
  masked: string;
}
const cases = JSON.parse(readFileSync('../cli/tests/secrets.json', 'utf8')) as Case[];

describe('withoutSecrets', () => {
  it.each(cases)('$what', ({ text, masked }) => {
    expect(withoutSecrets(text)).toBe(masked);
    expect(withoutSecrets(masked)).toBe(masked);
  });

  it('knows what is included', () => {
    expect(includesOf('http { include "a/*.conf"; include b; # include c;\n }')).toEqual(['a/*.conf', 'b']);
  });
});
