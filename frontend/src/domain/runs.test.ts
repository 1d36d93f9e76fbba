import { describe, expect, it } from 'vitest';
import { hostsWithSlots, isPaused } from './runs';
import { slotsOfDefinition } from './slots';

describe('runs', () => {
  it('name each host once, with what it plays', () => {
    const hosts = [
      { name: 'vm', slot: 'generator' },
      { name: 'vm', slot: 'target' },
      { name: 'other', slot: 'second' },
    ];
    expect(hostsWithSlots(hosts)).toBe('vm (target, generator), other (second)');
  });

  it('are paused until they are over', () => {
    expect(isPaused({ paused_at: '2025-01-01T00:00:00Z', finished_at: null })).toBe(true);
    expect(isPaused({ paused_at: '2025-01-01T00:00:00Z', finished_at: '2025-01-01T00:01:00Z' })).toBe(false);
    expect(isPaused({ paused_at: null, finished_at: null })).toBe(false);
  });

  it('have a part for the target, then for each stream and upstream, with every role of it', () => {
    const slots = slotsOfDefinition({
      streams: [{ key: 'a' }, { key: 'b', slot: 'target' }],
      upstream_servers: [{ key: 'app', slot: 'generator' }],
    });
    expect(slots).toEqual([
      { slot: 'target', roles: ['target', 'generator'] },
      { slot: 'generator', roles: ['generator', 'upstream'] },
    ]);
  });
});
