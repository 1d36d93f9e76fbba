import { expect, it } from 'vitest';
import { aRun, aTrial } from '@/test/fixtures';
import { aNote } from '@/test/notes';
import { momentsOf, numbered, placeWords } from './notes';

const run = aRun();

it.each([
  [{}, 'Whole run'],
  [{ trial_id: 'trial-2' }, 'reuseport, block 1'],
  [{ trial_id: 'trial-2', t_s: 3.5 }, 'reuseport, block 1, at 3.5\u00a0s'],
  [{ trial_id: 'trial-2', t_s: 0 }, 'reuseport, block 1, at 0\u00a0s'],
  [{ trial_id: 'gone' }, 'One trial'],
])('names the place of %o', (place, words) => {
  expect(placeWords(run, aNote(place))).toBe(words);
});

it('names a later attempt', () => {
  const again = aRun({ trials: [aTrial(1, { attempt: 2 })] });
  expect(placeWords(again, aNote({ trial_id: 'trial-2' }))).toBe('reuseport, block 1, attempt 2');
});

it('finds the moments of trials, each with its number among all notes and what stands for the mark', () => {
  const notes = numbered([
    aNote(),
    aNote({ id: 'b', trial_id: 'trial-2', t_s: 1, text: 'x'.repeat(500) }),
    aNote({ id: 'c', trial_id: 'trial-1', t_s: 1 }),
    aNote({ id: 'd', trial_id: 'trial-2' }),
  ]);
  expect(momentsOf(run, notes, ['trial-2'])).toEqual([
    {
      noteId: 'b',
      trialId: 'trial-2',
      number: 2,
      t: 1,
      words: `Note 2, reuseport, block 1, at 1\u00a0s: ${'x'.repeat(160)}…`,
    },
  ]);
});
