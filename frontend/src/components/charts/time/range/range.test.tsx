import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { show } from '@/test/show';
import { PLOT_LEFT, PLOT_RIGHT } from '../../axes';
import type { Line } from '../align';
import { RangeFields, TimeRangeProvider } from '../choices';
import { TimeChart } from '../TimeChart';

const line = (id: string): Line => ({
  id,
  label: id,
  color: 'var(--arm-1)',
  points: Array.from({ length: 11 }, (_, t) => [t, t * 10]),
});
const LINES = [line('before'), line('after')];
const DOMAIN = [0, 10] as const;
/** As wide as test-setup.ts says that everything is. */
const WIDTH = 600;
const PLOT_PX = WIDTH - PLOT_LEFT - PLOT_RIGHT;

function open(at = '/', onMoment = vi.fn()) {
  const common = { unit: '%', lines: LINES, domain: DOMAIN, measureS: 10, syncId: 's', showLatest: false };
  const page = show(
    <TimeRangeProvider from={0} to={10}>
      <RangeFields />
      <TimeChart {...common} title="One" onMoment={onMoment} />
      <TimeChart {...common} title="Two" />
    </TimeRangeProvider>,
    { path: '/', at },
  );
  return { ...page, onMoment };
}

/** The wrapper that Recharts listens on. */
const plotOf = async (title: string) => {
  const figure = await screen.findByRole('figure', { name: `${title}, %` });
  await waitFor(() => expect(figure.querySelector('.recharts-wrapper')).not.toBeNull());
  return figure.querySelector('.recharts-wrapper') as HTMLElement;
};
const lastTick = (plot: HTMLElement) =>
  [...plot.querySelectorAll('.recharts-xAxis-tick-labels text')].at(-1)?.textContent.replace(/\s/g, '');
const at = (second: number) => ({ clientX: PLOT_LEFT + (second / 10) * PLOT_PX, clientY: 40, button: 0 });

/** Where the crosshair then is. */
const point = (plot: HTMLElement, second: number) =>
  waitFor(() => {
    fireEvent.mouseMove(plot, at(second));
    expect(screen.getAllByText(`at ${second} s`)).toHaveLength(2);
  });

function drag(plot: HTMLElement, from: number, to: number) {
  fireEvent.pointerDown(plot, at(from));
  fireEvent.pointerMove(plot, at((from + to) / 2));
  fireEvent.pointerMove(plot, at(to));
}

describe('A range of time', () => {
  beforeEach(() => {
    vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(WIDTH);
    vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(168);
    vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, WIDTH, 168));
  });

  it('is chosen by a drag, which is no click, for all charts of the page', async () => {
    const { address, onMoment } = open();
    const plot = await plotOf('One');
    await point(plot, 2);
    drag(plot, 2, 6);
    expect(within(plot.closest('figure') as HTMLElement).getByText('2 s to 6 s')).toBeInTheDocument();
    fireEvent.pointerUp(plot, at(6));
    fireEvent.click(plot, at(6));
    expect(address()).toBe('/?range=2..6');
    expect(onMoment).not.toHaveBeenCalled();
    for (const title of ['One', 'Two']) expect(lastTick(await plotOf(title))).toBe('6s');
    expect(screen.getByRole('status')).toHaveTextContent('Charts over time show 2 s to 6 s');
  });

  it('leaves a click what it is', async () => {
    const { address, onMoment } = open();
    const plot = await plotOf('One');
    await point(plot, 4);
    fireEvent.pointerDown(plot, at(4));
    fireEvent.pointerMove(plot, { ...at(4), clientX: at(4).clientX + 2 });
    fireEvent.pointerUp(plot, at(4));
    fireEvent.click(plot, at(4));
    expect(onMoment).toHaveBeenCalledWith(4);
    expect(address()).toBe('/');
  });

  it('is given up by Escape, in the drag and afterwards', async () => {
    const { address, user } = open('/?range=1..5');
    const plot = await plotOf('One');
    drag(plot, 2, 6);
    await user.keyboard('{Escape}');
    fireEvent.pointerUp(plot, at(6));
    expect(address()).toBe('/?range=1..5');
    await user.keyboard('{Escape}');
    expect(address()).toBe('/');
    await waitFor(async () => expect(lastTick(await plotOf('Two'))).toBe('10s'));
  });

  it('is typed, too, and left by a button', async () => {
    const { address, user } = open();
    const [from, to] = ['Charts from second', 'Charts to second'];
    await user.clear(screen.getByRole('spinbutton', { name: from }));
    await user.type(screen.getByRole('spinbutton', { name: from }), '3.5{Enter}');
    expect(address()).toBe('/?range=3.5..10');
    expect(screen.getByRole('spinbutton', { name: to })).toHaveValue(10);
    await user.click(screen.getByRole('button', { name: 'Whole trial' }));
    expect(address()).toBe('/');
    expect(screen.queryByRole('status')).not.toBeInTheDocument();
  });
});

describe('An entry of the legend', () => {
  it('hides its line and shows it again, by key', async () => {
    const { user } = open();
    const plot = await plotOf('One');
    const curves = () => plot.querySelectorAll('path.recharts-curve').length;
    const entry = within(plot.closest('figure') as HTMLElement).getByRole('button', { name: 'before' });
    expect(entry).toHaveAttribute('aria-pressed', 'true');
    entry.focus();
    await user.keyboard(' ');
    expect(entry).toHaveAttribute('aria-pressed', 'false');
    expect(curves()).toBe(1);
    await user.keyboard(' ');
    expect(curves()).toBe(2);
    expect((await plotOf('Two')).querySelectorAll('path.recharts-curve')).toHaveLength(2);
  });
});
