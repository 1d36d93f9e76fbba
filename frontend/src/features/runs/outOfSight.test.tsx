import { act, screen, waitFor } from '@testing-library/react';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { aRun } from '@/test/fixtures';
import { RATE, showRunPage } from './showRunPage.testdata';

/** Tells charts whether they can be seen. Returns how. */
function controlSight() {
  const told = new Set<(isSeen: boolean) => void>();
  class Observer {
    constructor(private readonly report: (entries: { isIntersecting: boolean }[]) => void) {}
    observe() {
      told.add((isIntersecting) => this.report([{ isIntersecting }]));
    }
    disconnect() {}
  }
  vi.stubGlobal('IntersectionObserver', Observer);
  onTestFinished(() => void vi.unstubAllGlobals());
  return (isSeen: boolean) =>
    act(() => {
      for (const tell of told) tell(isSeen);
    });
}

const readings = (...at: number[]) => ({
  trial_id: 'trial-2',
  points: at.map((t_s) => ({ key: RATE.key, label: 'wrk', unit: RATE.unit, t_s, value: 51_000 + t_s })),
});
const chart = () => screen.findByRole('figure', { name: /^Requests per second/ });

describe('a chart that nobody sees', () => {
  it('is not drawn with each reading, and is up to date once it is scrolled to', async () => {
    const see = controlSight();
    const { send } = showRunPage(aRun(), {}, '?view=trial');
    await screen.findByText('block 1, running now');
    see(true);
    await send('points', readings(0, 1));
    await waitFor(async () => expect(await chart()).toHaveTextContent('51,001'));
    see(false);
    await send('points', { ...readings(2), read_at_us: Date.now() * 1000 });
    await screen.findByTitle(/on screen after/);
    for (const _ of [1, 2]) await act(() => new Promise(requestAnimationFrame)); // so each chart has had its turn
    expect(await chart()).toHaveTextContent('51,001');
    see(true);
    await waitFor(async () => expect(await chart()).toHaveTextContent('51,002'));
  });
});
