import { describe, expect, it } from 'vitest';
import { thresholdText } from './thresholds';

describe('thresholds', () => {
  it('as fields are said as a line of text', () => {
    expect(thresholdText({ metric: 'latency_ms', statistic: 'p99', compare: '<', value: 20 })).toBe(
      'p99_ms < 20',
    );
    expect(
      thresholdText({ metric: 'requests_per_s', ratio: true, compare: '>', value: 0.98, arm: 'threads.32' }),
    ).toBe('requests_per_s ratio > 0.98 for threads.32');
  });

  it('as text stay as they are', () => {
    expect(thresholdText('errors_percent <= 0')).toBe('errors_percent <= 0');
  });
});
