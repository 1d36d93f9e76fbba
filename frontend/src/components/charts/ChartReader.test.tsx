import { act, render, screen } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { ChartReader } from './ChartReader';

const slider = () => screen.getByRole('slider', { name: 'Latency: values, by arrow keys' });
const reader = (count: number, onRead = vi.fn()) => (
  <ChartReader label="Latency" count={count} words={(index) => `place ${index}`} onRead={onRead} />
);

describe('ChartReader', () => {
  it('hears of further readings when the keyboard comes to it, and of fewer at once', () => {
    const { rerender } = render(reader(3));
    rerender(reader(5));
    expect(slider()).toHaveAttribute('max', '2');
    act(() => slider().focus());
    expect(slider()).toHaveAttribute('max', '4');
    rerender(reader(6));
    expect(slider()).toHaveAttribute('max', '5');
    act(() => slider().blur());
    rerender(reader(2));
    expect(slider()).toHaveAttribute('max', '1');
  });

  it('reads by what it was given last', () => {
    const onRead = vi.fn();
    const { rerender } = render(reader(3));
    rerender(reader(3, onRead));
    act(() => slider().focus());
    expect(onRead).toHaveBeenLastCalledWith(0);
    expect(slider()).toHaveAttribute('aria-valuetext', 'place 0');
    act(() => slider().blur());
    expect(onRead).toHaveBeenLastCalledWith(null);
  });
});
