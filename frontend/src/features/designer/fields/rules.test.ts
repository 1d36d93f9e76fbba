import { expect, test } from 'vitest';
import { blankDraft } from '../model/draft/draft';
import { RULES } from './rules';

test('a protocol is a version, or a variable that levels set to one', () => {
  const level = (key: string, proto: string) => ({
    key,
    label: key,
    build: null,
    variables: [
      { name: 'proto', value: proto },
      { name: 'size', value: 4 },
    ],
  });
  const factors = [
    { key: 'version', label: 'Version', levels: [level('a', 'http/1.1'), level('b', 'http/2')] },
  ];
  const options = RULES['Stream.protocol']?.options?.({ ...blankDraft(), factors });
  expect(options).toEqual([
    { value: 'http/1.1', label: 'HTTP/1.1' },
    { value: 'http/2', label: 'HTTP/2' },
    { value: 'http/3', label: 'HTTP/3' },
    '{{ proto }}',
  ]);
});
