import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { show } from '@/test/show';
import { PartsChart } from './PartsChart';

function chart(count: number) {
  const lines = Array.from({ length: count }, (_, index) => ({
    id: `${index}`,
    label: `worker ${index + 1}`,
    color: 'var(--category-1)',
    points: [0, 1, 2].map((t): [number, number] => [t, (index + 1) * 10]),
  }));
  return (
    <PartsChart
      name="workers"
      title="CPU per worker"
      unit="%"
      lines={lines}
      yMax={100}
      domain={[-1, 2]}
      measureS={2}
      syncId="test"
    />
  );
}
const figure = () => screen.getByRole('figure', { name: /^CPU per worker/ });
const cells = () => figure().querySelectorAll('path[fill^="color-mix"]');
const reader = () => screen.findByRole('slider', { name: 'CPU per worker: values, by arrow keys' });

describe('A chart of things that are alike', () => {
  it('is drawn as lines while they can be told apart, and as a heat map when asked for', async () => {
    const { user, address } = show(chart(3));
    expect(figure()).not.toHaveTextContent('On average');
    await user.click(screen.getByRole('button', { name: 'Draw CPU per worker as a heat map' }));
    expect(figure()).toHaveTextContent('On average most: worker 3, 30 %; least: worker 1, 10 %.');
    expect(address()).toBe('/?workers-as=heat');
    await user.click(screen.getByRole('button', { name: 'Draw CPU per worker as lines' }));
    expect(figure()).not.toHaveTextContent('On average');
    expect(address()).toBe('/');
  });

  it('is a heat map when it has more than eight', async () => {
    const { user, address } = show(chart(9));
    await waitFor(() => expect(cells().length).toBeGreaterThan(5));
    await user.click(screen.getByRole('button', { name: 'Draw CPU per worker as lines' }));
    expect(address()).toBe('/?workers-as=lines');
  });

  it('is read cell by cell with arrow keys', async () => {
    const { user } = show(chart(9));
    const read = await reader();
    act(() => read.focus());
    expect(screen.getByText('worker 1 at 0 s: 10 %')).toBeInTheDocument();
    await user.keyboard('{ArrowUp}{ArrowDown}');
    expect(read).toHaveAttribute('aria-valuetext', expect.stringMatching(/^worker 2 at 0\ss: 20\s%$/));
    fireEvent.change(read, { target: { value: '2' } });
    expect(screen.getByText('worker 2 at 2 s: 20 %')).toBeInTheDocument();
    act(() => read.blur());
    await waitFor(() => expect(screen.queryByText(/^worker 2 at/)).not.toBeInTheDocument());
  });

  it('says what is under the pointer', async () => {
    show(chart(9));
    const cover = await waitFor(() => {
      const found = figure().querySelector('rect[fill="transparent"]');
      if (!found) throw new Error('nothing is drawn yet');
      return found;
    });
    cover.getBoundingClientRect = () => new DOMRect(0, 0, 300, 90);
    fireEvent.pointerMove(cover, { clientX: 200, clientY: 25 });
    expect(screen.getByText('worker 3 at 1 s: 30 %')).toBeInTheDocument();
    fireEvent.pointerLeave(cover);
    expect(screen.queryByText(/^worker 3 at/)).not.toBeInTheDocument();
  });

  it('is nothing to choose with one line', () => {
    show(chart(1));
    expect(screen.queryByRole('button')).not.toBeInTheDocument();
  });
});
