import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { show } from '@/test/show';
import { aSearch, aSearchedReport } from '../capacity.testdata';
import { CapacitySection, stepsCsv } from './CapacitySection';

describe('CapacitySection', () => {
  it('has nothing to show where no stream searches', () => {
    show(<CapacitySection report={aSearchedReport(() => [])} />);
    expect(screen.queryByRole('heading', { name: 'Capacity' })).not.toBeInTheDocument();
  });

  it('shows what each search found, its goal, and every rate that was tried', () => {
    const report = aSearchedReport((place) => [aSearch(1000 + 100 * place)]);
    show(<CapacitySection report={report} />);
    expect(screen.getByRole('heading', { name: 'Capacity' })).toBeVisible();
    expect(screen.getByText(/The highest rate at p99 ≤ 50 ms and errors ≤ 0.1 %/)).toBeVisible();
    const [first] = report.trials;
    expect(first).toBeDefined();
    expect(screen.getAllByText('1,000 req/s')[0]).toBeVisible();
    expect(screen.getByText('980 to 1,020')).toBeVisible();
    const figure = screen.getByRole('figure', { name: 'Rates that were tried: p99' });
    expect(figure).toHaveTextContent('2,000 req/s: 400 ms, block 1, missed');
    expect(figure).toHaveTextContent('void, the generator was late');
    expect(screen.getAllByRole('radio', { name: 'Errors' })).toHaveLength(1);
  });

  it('says why a trial has no capacity', () => {
    const without = 'every rate up to 20,000/s met the goal';
    const ended = aSearch(1, { ended: 'every-rate', capacity_per_s: null, without_value: without });
    show(<CapacitySection report={aSearchedReport(() => [ended])} />);
    expect(screen.getAllByText(without)[0]).toBeVisible();
  });

  it('writes every step as a line of CSV', () => {
    const search = aSearch(1000);
    const [step] = search.steps;
    const odd = { ...search, steps: step ? [{ ...step, reason: 'late, "very"' }] : [] };
    const arm = {
      id: 'a',
      index: 0,
      label: 'A',
      metric: undefined,
      rows: [{ id: 't', block: 2, search: odd }],
    };
    expect(stepsCsv([arm])).toBe(
      'arm,block,number,t_s,seconds,per_s,achieved_per_s,due,served,failed,p50_us,p90_us,p99_us,p999_us,result,reason\r\n' +
        'a,2,1,0,1,100,100,100,100,0,400,900,1200,,met,"late, ""very"""',
    );
  });
});
