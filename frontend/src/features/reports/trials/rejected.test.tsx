import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { RejectedSummary, StreamSummary } from '@/api/generated';
import { show } from '@/test/show';
import { aReport } from '../report.testdata';
import { RejectedFacts } from './TrialDialog';

const LATENCY = {
  count: 900,
  mean_us: 60,
  stdev_us: 1,
  p50_us: 50,
  p90_us: 60,
  p99_us: 90,
  p999_us: null,
  max_us: 99,
};

function streamWith(rejected: RejectedSummary | null): StreamSummary {
  const [stream] = aReport().trials[0]?.summary.streams ?? [];
  if (!stream) throw new Error('the report has no stream');
  return { ...stream, stream: 'main', rejected };
}

const rejected = (part: Partial<RejectedSummary>): RejectedSummary => ({
  requests: 900,
  per_s: 90,
  share_percent: 9,
  latency: LATENCY,
  statuses: { 429: 1_800, 500: 3 },
  told_apart: 'all',
  ...part,
});

describe('RejectedFacts', () => {
  it('tells how many, how fast and with which statuses', () => {
    show(<RejectedFacts streams={[streamWith(rejected({}))]} />);
    expect(screen.getByText('Rejected requests (main)')).toBeInTheDocument();
    expect(screen.getByText('429: 1,800, 500: 3')).toBeInTheDocument();
    expect(screen.getByText('90 req/s')).toBeInTheDocument();
    expect(screen.getByText(/Neither rate nor latency/)).toBeInTheDocument();
  });

  it.each([
    ['rate', /Its latency includes them/],
    ['nothing', /Rate and latency of the stream include them/],
  ] as const)('says what includes them where only the %s is told apart', (told_apart, words) => {
    show(<RejectedFacts streams={[streamWith(rejected({ told_apart, latency: null }))]} />);
    expect(screen.getByText(words)).toBeInTheDocument();
    expect(screen.queryByText('Latency, p50')).not.toBeInTheDocument();
  });

  it.each([[null], [rejected({ requests: 0, statuses: {} })]])('is silent where there were none', (none) => {
    show(<RejectedFacts streams={[streamWith(none)]} />);
    expect(screen.queryByText(/Rejected requests/)).not.toBeInTheDocument();
  });
});
