import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

describe('a time', () => {
  const zone = process.env.TZ;
  beforeEach(() => vi.resetModules());
  afterEach(() => {
    process.env.TZ = zone;
  });

  it.each([
    ['UTC', '5 Jan 2026, 14:05:09 UTC'],
    ['Europe/London', '5 Jan 2026, 14:05:09 GMT'],
    ['Asia/Kolkata', '5 Jan 2026, 19:35:09 GMT+5:30'],
  ])('is told in the zone of the reader, %s, which it names', async (reader, told) => {
    process.env.TZ = reader;
    const { formatDateTime } = await import('./time');
    expect(formatDateTime('2026-01-05T14:05:09Z')).toBe(told);
  });
});
