import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { arrived, MissingCode } from './release';

describe('arrived', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('asks again for what did not come', async () => {
    const load = vi
      .fn()
      .mockRejectedValueOnce(new TypeError('Failed to fetch'))
      .mockResolvedValueOnce('code');
    const code = arrived(load);
    await vi.runAllTimersAsync();
    expect(await code).toBe('code');
  });

  it('names what never comes', async () => {
    const cause = new TypeError('Failed to fetch');
    const load = vi.fn().mockRejectedValue(cause);
    const code = arrived(load);
    const judged = expect(code).rejects.toThrow(MissingCode);
    await vi.runAllTimersAsync();
    await judged;
    expect(load).toHaveBeenCalledTimes(3);
    await expect(code).rejects.toHaveProperty('cause', cause);
  });
});
