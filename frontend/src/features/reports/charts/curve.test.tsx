import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { ArmCurve, CurvePoint, Report } from '@/api/generated';
import { show } from '@/test/show';
import { aReport, withSummaries } from '../report.testdata';
import { CurveSection, lawOf, ratesCsv } from './CurveSection';

const figure = (mean: number) => ({ mean, low: 0.9 * mean, high: 1.1 * mean });
const point = (per_s: number, most: number): CurvePoint => ({
  per_s,
  trials: 3,
  late: 0,
  followed: per_s > most ? 0 : 3,
  throughput: figure(Math.min(per_s, most)),
  errors_percent: figure(0),
  p50_us: per_s > most ? null : figure(500),
  p90_us: null,
  p99_us: per_s > most ? null : figure(2000),
  p999_us: null,
});
const curve = (most: number): ArmCurve => ({
  points: [500, 1000, 2000].map((per_s) => point(per_s, most)),
  knee: most < 2000 ? figure(most) : null,
  without_knee: most < 2000 ? null : 'throughput followed every rate up to 2,000/s',
});

function aCurvedReport(): Report {
  const report = withSummaries(() => ({
    usable: true,
    curves: [
      {
        stream: 'clients',
        planned: 1,
        plateau_per_s: null,
        without_plateau: null,
        followed_all: false,
        rates: [
          {
            number: 1,
            t_s: 0,
            seconds: 2,
            per_s: 500,
            achieved_per_s: 499,
            due: 1000,
            served: 1000,
            failed: 0,
            p50_us: 400,
            p90_us: 800,
            p99_us: 1500,
            p999_us: null,
            followed: true,
            cut_short: false,
            generator_late: false,
          },
        ],
      },
    ],
  }));
  const arms = report.analysis.arms.map((arm, place) => ({ ...arm, curve: curve(place === 0 ? 800 : 5000) }));
  return { ...report, analysis: { ...report.analysis, arms } };
}

describe('CurveSection', () => {
  it('has nothing to show where no stream tries several rates', () => {
    show(<CurveSection report={aReport()} />);
    expect(screen.queryByRole('heading', { name: 'Curve' })).not.toBeInTheDocument();
  });

  it('draws throughput and latency of all arms, and says where throughput stops to follow', () => {
    const report = aCurvedReport();
    show(<CurveSection report={report} />);
    const throughput = screen.getByRole('figure', { name: 'Throughput against the rate' });
    expect(throughput).toHaveTextContent(
      '1,000 req/s: 800 req/s (720 req/s – 880 req/s), throughput did not follow',
    );
    const latency = screen.getByRole('figure', { name: 'p99 against the rate' });
    expect(latency).toHaveTextContent('500 req/s: 2 ms (1.80 ms – 2.20 ms)');
    expect(latency).toHaveTextContent('1,000 req/s: –, throughput did not follow');
    expect(within(throughput).getByRole('button', { name: /Save the chart/ })).toBeVisible();
    expect(screen.getAllByText('800 (720 to 880)')[0]).toBeVisible();
    expect(screen.getByText('throughput followed every rate up to 2,000/s')).toBeVisible();
    expect(screen.queryByRole('radio', { name: 'p90' })).not.toBeInTheDocument();
    expect(screen.getByRole('radio', { name: 'Errors' })).toBeInTheDocument();
  });

  it('draws the law that fits: one connection alone, all in turn, and a fall beyond the peak', () => {
    const law = (contention: number, coherency: number) =>
      lawOf({
        per_connection: figure(100),
        contention: figure(contention),
        coherency: figure(coherency),
        peak: null,
        without_peak: null,
        misfit_percent: 0,
      });
    expect([law(0.5, 0.1)(1), law(0, 0)(8), law(1, 0)(8)]).toEqual([100, 800, 100]);
    const falls = law(0, 0.01);
    expect(falls(10)).toBeGreaterThan(Math.max(falls(9), falls(11)));
  });

  it('gives every rate of every trial as CSV', () => {
    const [head, first] = ratesCsv(aCurvedReport()).split('\r\n');
    expect(head).toBe(
      'arm,block,number,t_s,seconds,per_s,achieved_per_s,due,served,failed,p50_us,p90_us,p99_us,p999_us,connections,followed,cut_short,generator_late',
    );
    expect(first?.split(',').slice(2)).toEqual(
      '1,0,2,500,499,1000,1000,0,400,800,1500,,,true,false,false'.split(','),
    );
  });
});
