import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { FormerJudgement } from '@/api/generated';
import { show } from '@/test/show';
import { aReport } from '../report.testdata';
import { Badges } from './Badges';
import { FormerJudgements } from './FormerJudgements';

const former = (changes: Partial<FormerJudgement>): FormerJudgement => ({
  method: 2,
  judged_at: '2026-11-03T10:00:00Z',
  until: '2026-11-20T10:00:00Z',
  headline: 'No conclusion on requests/s. Preview only.',
  verdict: 'undecided',
  answers: [],
  outcome: null,
  ...changes,
});

describe('FormerJudgements', () => {
  it('shows what an earlier version said, with its date, and the others when asked', async () => {
    const first = former({
      method: 0,
      judged_at: null,
      until: '2026-10-01T10:00:00Z',
      headline: 'Not valid.',
    });
    const { user } = show(<FormerJudgements report={aReport({ judged_before: [former({}), first] })} />);
    const note = screen.getByRole('note');
    expect(note).toHaveTextContent(
      'Judged differently before: on 3 Nov 2026 by version 2 of the method it said:No conclusion on requests/s.',
    );
    const [list] = within(note).getAllByRole('list');
    expect(list).toHaveAttribute('data-open', 'false');
    await user.click(screen.getByRole('button', { name: 'In words, and 1 earlier judgement' }));
    expect(list).toHaveAttribute('data-open', 'true');
    expect(note).toHaveTextContent(
      'until 1 Oct 2026, by a method from before versions were counted, it said:Not valid.',
    );
  });

  it('says nothing where all versions said the same, and nothing of a report that is older', () => {
    show(<FormerJudgements report={aReport({ judged_before: [] })} />);
    show(<FormerJudgements report={aReport()} />);
    expect(screen.queryByRole('note')).not.toBeInTheDocument();
  });

  it('names the version that has judged', () => {
    show(<Badges report={aReport({ judged: { method: 3, at: '2026-11-20T10:00:00Z' } })} />);
    expect(screen.getByText('Method 3')).toBeInTheDocument();
  });
});
