import { fireEvent, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';
import type { Point } from '@/domain/series';
import { TimeChartCanvas } from './TimeChartCanvas';

const common = {
  title: 'Requests per second',
  unit: 'requests/s',
  stacked: false,
  yMax: null,
  domain: [-2, 4] as const,
  measureS: 4,
  syncId: 'test',
  height: 200,
  readout: null,
};
const readings = (gapAt?: number): Point[] =>
  [-2, -1, 0, 1, 2, 3, 4].map((t) => [t, t === gapAt ? null : 1000 + t * 10]);
const line = (id: string, points: Point[]) => ({ id, label: id, color: 'var(--arm-1)', points });

function curves(container: HTMLElement): string[] {
  return [...container.querySelectorAll('path.recharts-curve')].map((path) => path.getAttribute('d') ?? '');
}
const pieces = (path: string) => path.split('M').length - 1;

describe('TimeChartCanvas', () => {
  it('draws one curve a line, in its colour', () => {
    const { container } = render(
      <TimeChartCanvas {...common} lines={[line('a', readings()), line('b', readings())]} />,
    );
    expect(curves(container)).toHaveLength(2);
    expect(container.querySelector('path.recharts-curve')).toHaveAttribute('stroke', 'var(--arm-1)');
  });

  it('interrupts the curve at a gap', () => {
    const { container } = render(
      <TimeChartCanvas {...common} lines={[line('whole', readings()), line('broken', readings(1))]} />,
    );
    expect(curves(container).map(pieces)).toEqual([1, 2]);
  });

  it('shades the warm-up and labels the axes', () => {
    const { container, getByText } = render(<TimeChartCanvas {...common} lines={[line('a', readings())]} />);
    expect(container.querySelectorAll('[data-outside="warm-up"]')).toHaveLength(1);
    expect(getByText('−2 s', { selector: 'tspan' })).toBeInTheDocument();
    expect(getByText('0 s', { selector: 'tspan' })).toBeInTheDocument();
  });

  it('is read by keys: the crosshair moves, the values are said', async () => {
    const legend = document.createElement('div');
    document.body.append(legend);
    const lines = [line('off', readings(1)), { ...line('on', readings()), faint: true }];
    const { container } = render(<TimeChartCanvas {...common} lines={lines} readout={legend} />);
    const reader = screen.getByRole('slider', { name: 'Requests per second: values, by arrow keys' });
    const crosshair = () => container.querySelectorAll('.recharts-reference-line');
    expect(crosshair()).toHaveLength(0);
    await userEvent.tab();
    expect(reader).toHaveFocus();
    expect(reader).toHaveAttribute('aria-valuetext', expect.stringMatching(/^at −2\ss: off 980\sreq\/s$/));
    expect(legend).toHaveTextContent('at −2 s');
    expect(crosshair()).toHaveLength(1);
    fireEvent.change(reader, { target: { value: '3' } }); // what an arrow key does, which jsdom does not
    expect(reader).toHaveAttribute('aria-valuetext', expect.stringMatching(/^at 1\ss: no reading$/));
    expect(legend).toHaveTextContent('at 1 s');
    await userEvent.tab();
    expect(crosshair()).toHaveLength(0);
    expect(legend).toBeEmptyDOMElement();
    legend.remove();
  });

  it('flags the moments of notes', () => {
    const note = { noteId: 'n', trialId: 't', number: 3, t: 1, words: 'Note 3: the dip' };
    const { getByRole } = render(
      <TimeChartCanvas {...common} lines={[line('a', readings())]} notes={[note]} />,
    );
    const flag = getByRole('link', { name: 'Note 3: the dip' });
    expect(flag).toHaveAttribute('href', '#note-n');
    expect(flag.querySelector('text')).toHaveTextContent('3');
  });

  it('marks what was done, and signs what failed', () => {
    const done = {
      perturbation: 'reload',
      action: 'reload',
      number: 1,
      t_s: 1,
      ended_s: 1.001,
      ok: true,
      skipped: false,
      status: null,
      detail: '',
      host: 'h',
    };
    const failed = { ...done, number: 2, t_s: 3, ended_s: 3.001, ok: false };
    const { container } = render(
      <TimeChartCanvas {...common} lines={[line('a', readings())]} actions={[done, failed]} />,
    );
    const drawn = (outcome: string) =>
      [...container.querySelectorAll(`g[data-outcome="${outcome}"] path`)].map((path) =>
        path.getAttribute('d'),
      );
    expect(drawn('done')).toHaveLength(1);
    expect(drawn('failed')).toHaveLength(2);
    expect(drawn('done')[0]).not.toBe(drawn('failed')[0]);
  });
});
