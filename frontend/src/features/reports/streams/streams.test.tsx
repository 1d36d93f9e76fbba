import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { StreamSummary } from '@/api/generated';
import { rowsOf, show } from '@/test/show';
import { aReport, withSummaries } from '../report.testdata';
import { StreamsSection, StreamTable } from './StreamsSection';

/** An open-loop stream beside wrk's: 1,000 requests intended, 10 fewer sent by the trial of `reuseport`. */
function withProbe() {
  const probe = (wrk: StreamSummary, place: number): StreamSummary => ({
    ...wrk,
    stream: 'probe',
    engine: 'open-loop',
    probe: true,
    latency_basis: 'intended',
    requests_per_s: 100,
    intended: 1000,
    sent: 1000 - 10 * place,
    backlog_max: 7,
    errors: { connect: 1, read: 2, write: 0, timeout: 3, status: 0, garbage: 0, share_percent: 0.6 },
  });
  return withSummaries(({ streams }, place) => ({
    streams: [...streams, ...streams.map((wrk) => probe(wrk, place))],
  }));
}

describe('StreamTable', () => {
  it('tells of each stream what was intended, sent, and went wrong', () => {
    show(<StreamTable report={withProbe()} />);
    const rows = rowsOf(screen.getByRole('table'));
    expect(rows).toHaveLength(4);
    expect(rows[2]).toMatch(
      /^probe open-loop probe.* \| accept_mutex on \| 100 \| 1,000 \| 100\.00 % \| 7 \|/,
    );
    expect(rows[3]).toMatch(/^reuseport \| 100 \| 1,000 \| 99\.00 % \| 7 \| .* \| 6$/);
    expect(screen.getByText('latency from the intended time')).toBeInTheDocument();
  });

  it('leaves out trials that are not used', () => {
    const report = withProbe();
    const trials = report.trials.map((one, place) => ({
      ...one,
      summary: { ...one.summary, usable: place > 0 },
    }));
    show(<StreamTable report={{ ...report, trials }} />);
    expect(rowsOf(screen.getByRole('table'))[2]).toMatch(/accept_mutex on \| – \| – \| – \| – \|/);
  });

  it('shows a single stream of wrk whose requests were rejected', () => {
    const rejected = {
      requests: 900,
      per_s: 30,
      share_percent: 9,
      latency: null,
      statuses: {},
      told_apart: 'rate',
    };
    const report = withSummaries(({ streams }) => ({
      streams: streams.map((stream) => ({ ...stream, rejected }) as StreamSummary),
    }));
    show(<StreamTable report={report} />);
    expect(rowsOf(screen.getByRole('table'))[1]).toMatch(/ \| 30 \| 0$/);
  });

  it('has nothing to add to a single stream of wrk', () => {
    show(<StreamTable report={aReport()} />);
    expect(screen.queryByRole('table')).not.toBeInTheDocument();
  });
});

describe('StreamsSection', () => {
  it('compares the arms stream by stream, where trials have several', () => {
    const report = withProbe();
    const arms = report.analysis.arms.map((arm) => ({
      ...arm,
      streams: [
        { stream: 'probe', metrics: arm.metrics.filter(({ metric }) => metric === 'latency_p99_us') },
      ],
    }));
    show(<StreamsSection report={{ ...report, analysis: { ...report.analysis, arms } }} />);
    expect(screen.getByRole('heading', { name: 'Stream probe' })).toBeInTheDocument();
    expect(screen.getByText('latency from the intended time')).toBeInTheDocument();
    const rows = rowsOf(screen.getByRole('table'));
    expect(rows).toHaveLength(2);
    expect(rows[1]).toMatch(/^reuseport \| 14\.0 ms \| .* \| undecided$/);
  });
});
