import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { ArmPhasesOut, PhaseOut } from '@/api/generated';
import { plain } from '@/test/plain';
import { show } from '@/test/show';
import { aReport } from '../report.testdata';
import { PhaseSection } from './PhaseSection';

const report = aReport();
const [baseline, other] = report.arms.map(({ key }) => key) as [string, string];

const phase = (name: PhaseOut['phase'], mean_ms: number, by?: number): PhaseOut => ({
  phase: name,
  mean_ms,
  p50_ms: Math.floor(mean_ms),
  p99_ms: 2 * Math.floor(mean_ms),
  difference_ms: by ?? null,
  low_ms: by === undefined ? null : by - 0.5,
  high_ms: by === undefined ? null : by + 0.5,
  claimed: by !== undefined && by > 0,
});
const arm = (arm_key: string, waits: number, by?: number): ArmPhasesOut => ({
  arm_key,
  against: by === undefined ? null : baseline,
  trials: 2,
  requests: 40_000,
  phases: [
    phase('first_byte', waits, by),
    phase('write', 0.25, by === undefined ? by : 0),
    phase('whole', waits + 0.25, by),
  ],
  sentence: by === undefined ? null : 'the upstream server is late',
});

const open = () => show(<PhaseSection report={report} arms={[arm(baseline, 20), arm(other, 40, 20)]} />);
describe('Where a request’s time goes', () => {
  it('has each phase of each arm, with its difference from the baseline', () => {
    open();
    expect(screen.getByText('the upstream server is late')).toBeVisible();
    const waits = screen.getAllByRole('row', { name: /Waiting for its first byte/ });
    expect(waits.map(({ textContent }) => plain(textContent))).toEqual([
      expect.stringContaining('20 ms20 ms40 ms–'),
      expect.stringContaining('40 ms40 ms80 ms20 ms (19.5 ms to 20.5 ms)'),
    ]);
    expect(within(waits[1] as HTMLElement).getByText(/19\.5/).tagName).toBe('STRONG');
  });

  it('says less than a millisecond of what nginx counts as none, and marks no difference that is not said', () => {
    open();
    const [first, second] = screen.getAllByRole('row', { name: /All else within nginx/ });
    expect(first).toHaveTextContent(/< 1.ms< 1.ms/);
    expect(second?.querySelector('strong')).toBeNull();
  });

  it('says how many requests are in none', () => {
    const arms = [
      { ...arm(baseline, 20), unlogged_percent: 0.4 },
      { ...arm(other, 40, 20), unlogged_percent: 25 },
    ];
    show(<PhaseSection report={report} arms={arms} />);
    expect(screen.getAllByText(/in no phase: they/).map(({ textContent }) => plain(textContent))).toEqual([
      '25 % of the requests are in no phase: they have a log of their own, or had not ended',
    ]);
  });

  it('draws the arms on one scale', () => {
    open();
    const widths = [...document.querySelectorAll<HTMLElement>('[aria-hidden] > [title^="Waiting"]')].map(
      ({ style }) => Number.parseFloat(style.width),
    );
    expect(widths).toHaveLength(2);
    expect(widths[0]).toBeCloseTo((100 * 20) / 40.25);
    expect(widths[1]).toBeCloseTo((100 * 40) / 40.25);
  });
});
