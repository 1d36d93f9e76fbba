import { describe, expect, it } from 'vitest';
import { blankDraft } from './draft/draft';
import { type Action, historyOf, reduce } from './history';
import { withValue } from './paths';

const typed = (name: string, at: number, group: string | undefined = 'name'): Action => ({
  type: 'change',
  change: (draft) => withValue(draft, 'name', name),
  group,
  at,
});
const historyAfter = (...actions: Action[]) => actions.reduce(reduce, historyOf(blankDraft()));

describe('history', () => {
  it('goes back and forth', () => {
    const history = historyAfter(typed('a', 0), typed('b', 5000));
    const undone = reduce(history, { type: 'undo' });
    expect(undone.present.name).toBe('a');
    expect(reduce(undone, { type: 'redo' }).present).toBe(history.present);
  });

  it('takes typing without a pause as one step', () => {
    const history = historyAfter(typed('a', 0), typed('ab', 300), typed('abc', 600));
    expect(reduce(history, { type: 'undo' }).present.name).toBe('');
  });

  it('takes changes of different fields as different steps, however quick', () => {
    const question: Action = {
      type: 'change',
      change: (draft) => withValue(draft, 'question', 'why'),
      group: 'question',
      at: 10,
    };
    const undone = reduce(historyAfter(typed('a', 0), question), { type: 'undo' });
    expect(undone.present).toMatchObject({ name: 'a', question: '' });
  });

  it('never joins what came after an undo with what came before it', () => {
    const history = historyAfter(typed('a', 0), { type: 'undo' }, typed('b', 100), { type: 'undo' });
    expect(history.present.name).toBe('');
    expect(history.future).toHaveLength(1);
  });

  it('forgets the future once something else is done', () => {
    const history = historyAfter(typed('a', 0), { type: 'undo' }, typed('b', 5000));
    expect(reduce(history, { type: 'redo' })).toBe(history);
  });

  it('has nothing before the beginning, and takes a change to the same as none', () => {
    const history = historyOf(blankDraft());
    expect(reduce(history, { type: 'undo' })).toBe(history);
    expect(reduce(history, { type: 'change', change: (draft) => draft, at: 0 })).toBe(history);
  });
});
