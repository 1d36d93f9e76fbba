import { fireEvent, screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { HeatArm, RunSelection } from '@/api/generated';
import { plain } from '@/test/plain';
import { show } from '@/test/show';
import { aReport } from '../report.testdata';
import { SelectionSection } from './SelectionSection';

const report = aReport();
const keys = report.arms.map(({ key }) => key);

const inHeat = (arm: string, changes: Partial<HeatArm> = {}): HeatArm => ({
  arm,
  values: [1000, 1010],
  mean: 1005,
  change: 1,
  text: '0 %',
  stays: true,
  ...changes,
});

const selection: RunSelection = {
  metric: 'requests_per_s',
  title: 'Requests/s',
  unit: 'requests/s',
  scale: 'ratio',
  of: 16,
  wanted: 1,
  blocks: 2,
  planned: 1,
  heats: [
    {
      number: 1,
      arms: [
        inHeat(keys[0] ?? '', { change: null, text: null }),
        inHeat(keys[1] ?? '', { stays: false, text: '−3.0 %', reason: 'Place 2, at −3.0 %.' }),
      ],
    },
  ],
  finalists: [],
  dropped_percent: 7,
  sure_from: 1.04,
  error: 'An arm that is better by 2.0 % is dropped in 7 %.',
  best: null,
  text: '1 of 16 arms were chosen by requests/s.',
};

describe('SelectionSection', () => {
  it('tells who went when and why, and how such a choice errs', () => {
    show(<SelectionSection report={report} selection={selection} />);
    const rows = screen.getAllByRole('row').slice(1);
    expect(rows.map((row) => plain(within(row).getAllByRole('cell').at(-1)?.textContent))).toEqual([
      'stayed',
      'Place 2, at −3.0 %.',
    ]);
    expect(screen.getByText(/is dropped in 7 %/)).toBeInTheDocument();
    expect(screen.getByText(/1 of 16 arms were chosen/)).toBeInTheDocument();
  });

  it('lists every trial of the heats, apart from those that count', () => {
    const of = report.trials.slice(0, 2).map(({ trial, summary }, place) => ({
      trial: { ...trial, heat: 1 },
      usable: place === 0,
      unusable_reason: place === 0 ? null : 'nginx ended',
      requests_per_s: summary.requests_per_s,
      latency: summary.latency,
    }));
    show(<SelectionSection report={{ ...report, heat_trials: of }} selection={selection} />);
    const details = screen.getByText('All trials of the heats, which the verdict does not count');
    fireEvent.click(details);
    const box = details.closest('details') as HTMLDetailsElement;
    fireEvent(box, new Event('toggle'));
    expect(within(box).getAllByRole('row')).toHaveLength(3);
    expect(within(box).getByText(/not used/)).toBeInTheDocument();
  });

  it('has no table before the first heat is over', () => {
    show(<SelectionSection report={report} selection={{ ...selection, heats: [], error: null }} />);
    expect(screen.queryByRole('table')).not.toBeInTheDocument();
  });
});
