import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { said } from '@/lib/language/serverText';
import { rowsOf, show } from '@/test/show';
import { aReport } from '../report.testdata';
import { ThresholdsSection } from './ArmSections';
import { ChecksSection } from './ChecksSection';

describe('ChecksSection', () => {
  const { checks } = aReport().analysis;

  it('shows what needs attention and what to do, and unfolds the rest', async () => {
    const { user } = show(<ChecksSection checks={checks} />);
    expect(screen.getByText(said(checks.text))).toBeInTheDocument();
    expect(screen.getByText('Generator and nginx have cores of their own')).toBeVisible();
    expect(screen.getByText('pin them to different cores, or use a generator host of its own')).toBeVisible();
    expect(screen.getAllByLabelText('warning')).toHaveLength(2);
    const rest = screen.getByRole('button', { name: '22 passed, 1 to know, 3 could not be evaluated' });
    expect(rest).toHaveAttribute('aria-expanded', 'false');
    rest.focus();
    await user.keyboard('{Enter}');
    expect(rest).toHaveAttribute('aria-expanded', 'true');
    expect(screen.getByText('Three counts of the requests agree')).toBeInTheDocument();
  });

  it('puts errors before warnings', () => {
    const results = checks.results.map((check) =>
      check.key === 'accounting' ? { ...check, severity: 'error' as const } : check,
    );
    show(<ChecksSection checks={{ ...checks, results }} />);
    const [first] = screen.getAllByRole('listitem');
    expect(first).toHaveTextContent('Three counts of the requests agree');
  });
});

describe('ThresholdsSection', () => {
  const result = (arm: string, outcome: 'pass' | 'fail' | 'undecided') => ({
    text: 'latency_p99_us < 5000',
    arm,
    outcome,
    observed: null,
    message: `${arm} says`,
  });

  it('tells arm by arm whether a threshold holds, and what was observed', () => {
    const thresholds = [result('mutex-on', 'pass'), result('reuseport', 'fail')];
    show(<ThresholdsSection report={aReport({ thresholds, outcome: 'fail' })} />);
    expect(rowsOf(screen.getByRole('table'))).toEqual([
      'latency_p99_us < 5000 | accept_mutex on | passed | mutex-on says',
      'latency_p99_us < 5000 | reuseport | failed | reuseport says',
    ]);
    expect(screen.getByText('Not all thresholds are met: the run fails.')).toBeInTheDocument();
  });

  it('does not claim what is not known', () => {
    show(
      <ThresholdsSection
        report={aReport({ thresholds: [result('reuseport', 'undecided')], outcome: 'undecided' })}
      />,
    );
    expect(
      screen.getByText('The intervals do not decide every threshold: more blocks may.'),
    ).toBeInTheDocument();
    expect(screen.getByRole('cell', { name: 'undecided' })).toBeInTheDocument();
  });

  it('is left out where nothing was asked for', () => {
    show(<ThresholdsSection report={aReport({ thresholds: [] })} />);
    expect(screen.queryByText('Thresholds')).not.toBeInTheDocument();
  });
});
