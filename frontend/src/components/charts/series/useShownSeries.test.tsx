import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { IN_A_FILE, ShareToken } from '@/api/shareToken';
import { type Sent, serve } from '@/test/server';
import { show } from '@/test/show';
import { TimeRangeProvider } from '../time/choices';
import { useShownSeries } from './lines';

const LENGTH_S = 3600;

/** A trial of which a line has `points` points, in a part or the whole. */
function trialOf(points: number) {
  return ({ query }: Sent) => {
    const [from, to] = [Number(query.from ?? 0), Number(query.to ?? LENGTH_S)];
    const line = Array.from({ length: points }, (_, at) => [from + ((to - from) * at) / (points - 1), at]);
    const series = [{ key: 'requests_per_s', label: 'wrk', unit: 'requests/s', points: line }];
    return { trial_id: 'trial-1', arm: 'a', block: 1, live_seq: 1, series, actions: [], unreadable: [] };
  };
}

function Shown() {
  const { data } = useShownSeries(['trial-1']);
  const points = data[0]?.series[0]?.points ?? [];
  return <p>{points.filter(([t]) => t >= 1000 && t <= 1100).length} points of 100 s</p>;
}

function open(points: number, at: string, token: string | null = null) {
  const path = '/trials/trial-1/series';
  const shared = `/shared/${encodeURIComponent(token ?? '')}${path}`;
  const server = serve({ [`GET ${token ? shared : path}`]: trialOf(points) });
  show(
    <ShareToken value={token}>
      <TimeRangeProvider from={0} to={LENGTH_S}>
        <Shown />
      </TimeRangeProvider>
    </ShareToken>,
    { path: '/', at },
  );
  return () => server.to(`GET ${token ? shared : path}`).map(({ query }) => [query.from, query.to]);
}

describe('a part of the time of a trial', () => {
  it.each([null, 'a-link'])('comes in more detail where the whole is thinned (link: %s)', async (token) => {
    const asked = open(600, '/?range=1000..1100', token);
    expect(await screen.findByText('600 points of 100 s')).toBeInTheDocument();
    expect(asked()).toEqual([
      [undefined, undefined],
      ['1000', '1100'],
    ]);
  });

  it('is not asked for where every reading is there', async () => {
    const asked = open(73, '/?range=1000..1100'); // one in 50 s
    expect(await screen.findByText('3 points of 100 s')).toBeInTheDocument();
    expect(asked()).toEqual([[undefined, undefined]]);
  });

  it('is not asked for while the whole is shown', async () => {
    const asked = open(600, '/');
    expect(await screen.findByText('17 points of 100 s')).toBeInTheDocument();
    expect(asked()).toEqual([[undefined, undefined]]);
  });

  it('is never asked for by a report that is a file', async () => {
    const asked = open(600, '/?range=1000..1100', IN_A_FILE);
    expect(await screen.findByText('17 points of 100 s')).toBeInTheDocument();
    expect(asked()).toEqual([[undefined, undefined]]);
  });
});
