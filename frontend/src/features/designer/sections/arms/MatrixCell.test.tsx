import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { show } from '@/test/show';
import type { Cell } from '../../model/matrix';
import { MatrixCell } from './MatrixGrid';

const EXCLUDED: Cell = {
  key: 'a',
  label: 'reuseport, 1 worker',
  levels: {},
  state: 'excluded',
  reason: 'nothing to share',
};

function open(cell: Cell) {
  const acts = { onFocus: vi.fn(), onToggle: vi.fn(), onBaseline: vi.fn() };
  const row = <MatrixCell cell={cell} index={0} color={undefined} isActive isBaseline={false} {...acts} />;
  const table = (
    <table>
      <tbody>
        <tr>{row}</tr>
      </tbody>
    </table>
  );
  return { ...show(table), ...acts };
}
const why = () => screen.queryByRole('tooltip', { name: 'excluded: nothing to share' });

describe('A combination that is excluded', () => {
  it('says why to the keyboard', async () => {
    const { user, onFocus } = open(EXCLUDED);
    await user.tab();
    expect(screen.getByRole('switch')).toHaveFocus();
    expect(onFocus).toHaveBeenCalled();
    expect(why()).toBeInTheDocument();
  });

  it('says why after a tap, until another one elsewhere', async () => {
    const { user } = open(EXCLUDED);
    await user.pointer({ keys: '[TouchA]', target: screen.getByRole('switch') });
    expect(why()).toBeInTheDocument();
    await user.pointer({ keys: '[TouchA]', target: document.body });
    await waitFor(() => expect(why()).not.toBeInTheDocument());
  });
});

it('A combination that runs has nothing to explain', async () => {
  const { user } = open({ ...EXCLUDED, state: 'on', reason: '' });
  await user.hover(screen.getByRole('switch'));
  expect(screen.queryByRole('tooltip')).not.toBeInTheDocument();
});
