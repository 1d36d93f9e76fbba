import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { show } from '@/test/show';
import { ResultLine } from './ResultLine';

const run = { answers: [], verdict: 'not_valid', finished_at: null, state_reason: null } as const;

test('the first sentence is shown, as a whole', () => {
  const first =
    'Not valid: 2 properties of the hosts differ between trials, e.g. file_max: 2466177, no. 5 Ubuntu.';
  show(<ResultLine run={{ ...run, answers: [], headline: `${first} Better: a served 12 % more.` }} />);
  expect(screen.getByText(first)).toBeInTheDocument();
});

test('a text of one sentence stays as it is', () => {
  show(<ResultLine run={{ ...run, answers: [], headline: 'Not valid: vs. the others, i.e. all.' }} />);
  expect(screen.getByText('Not valid: vs. the others, i.e. all.')).toBeInTheDocument();
});
