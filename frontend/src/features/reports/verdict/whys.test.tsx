import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Why } from '@/api/generated';
import { ShareToken } from '@/api/shareToken';
import { aRun } from '@/test/fixtures';
import { serve } from '@/test/server';
import { show } from '@/test/show';
import { aReport } from '../report.testdata';
import { Whys } from './Whys';

const arm = aReport().arms[1]?.key ?? '';
const why = (changes: Partial<Why>): Why => ({
  arm,
  metrics: ['requests_per_s', 'latency_p99_us'],
  found: 'cause',
  text: 'Why: a request costs 12.1 ms more CPU time, 92 % of it in deflate.',
  evidence: [
    { kind: 'function', key: 'deflate', text: 'deflate: +11,900 µs a request' },
    { kind: 'limit', key: 'one worker', text: 'the only worker ran 100 % of the time' },
    { kind: 'phase', key: 'write', text: 'writing: +2 ms' },
  ],
  ...changes,
});
const goesWith = why({ found: 'not_profiled', text: 'It goes with: Load average +2.', evidence: [] });

describe('Why an arm differs', () => {
  it('has evidence that leads to where it comes from', () => {
    serve({});
    show(<Whys report={aReport({ why: [why({})] })} />);
    expect(screen.getByText('Requests per second, Latency, p99')).toBeVisible();
    const evidence = within(screen.getByRole('list', { name: 'Evidence' }));
    const places = evidence.getAllByRole('link').map((link) => link.getAttribute('href'));
    expect(places).toEqual([`/?profile=${arm}&against=mutex-on#profile`, '#bottleneck', '#phases']);
    expect(screen.queryByText(/was not looked for/)).not.toBeInTheDocument();
  });

  it('names the one stream whose claims it explains', () => {
    serve({});
    show(<Whys report={aReport({ why: [why({ stream: 'constant' })] })} />);
    expect(screen.getByText('Requests per second, Latency, p99 (constant)')).toBeVisible();
  });

  it('keeps what else the address says, and takes the focus along', async () => {
    serve({});
    const { user } = show(
      <>
        <Whys report={aReport({ why: [why({})] })} />
        <section id="profile" aria-label="Profile" />
      </>,
      { at: '/?order=usual&block=3' },
    );
    const link = screen.getByRole('link', { name: /deflate/ });
    expect(link).toHaveAttribute('href', `/?order=usual&block=3&profile=${arm}&against=mutex-on#profile`);
    await user.click(link);
    expect(screen.getByRole('region', { name: 'Profile' })).toHaveFocus();
  });

  it('leads who may to profiling where nothing was profiled', async () => {
    serve({
      'GET /runs/run-1/profiles': [],
      'GET /runs/run-1': aRun({ state: 'completed', may_change: true, raw_removed: null, imported: null }),
    });
    show(<Whys report={aReport({ why: [goesWith] })} />);
    expect(await screen.findByRole('link', { name: 'Profile its arms' })).toHaveAttribute('href', '#profile');
    expect(screen.queryByRole('list', { name: 'Evidence' })).not.toBeInTheDocument();
  });

  it('says what it takes where arms have one profile each', async () => {
    serve({
      'GET /runs/run-1': aRun({ state: 'completed', may_change: true, raw_removed: null, imported: null }),
      'GET /runs/run-1/profiles': [{ arm_key: arm }],
    });
    const { queryClient } = show(<Whys report={aReport({ why: [goesWith] })} />);
    expect(screen.getByText(/two profiles of each arm/)).toBeVisible();
    await waitFor(() => expect(queryClient.isFetching()).toBe(0));
    expect(screen.queryByRole('link')).not.toBeInTheDocument();
  });

  it('only says so to the reader of a link', () => {
    serve({ 'GET /shared/t0ken/profiles': [] });
    show(
      <ShareToken value="t0ken">
        <Whys report={aReport({ why: [goesWith] })} />
      </ShareToken>,
    );
    expect(screen.getByText(/two profiles of each arm/)).toBeVisible();
    expect(screen.queryByRole('link')).not.toBeInTheDocument();
  });

  it('is not there where nothing is decided', () => {
    serve({});
    show(<Whys report={aReport({ why: [] })} />);
    expect(screen.queryByRole('list')).not.toBeInTheDocument();
  });
});
