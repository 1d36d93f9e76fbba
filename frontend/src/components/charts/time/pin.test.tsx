import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { show } from '@/test/show';
import { PLOT_LEFT, PLOT_RIGHT } from '../axes';
import type { Line } from './align';
import { PinProvider } from './choices';
import { parsePin, pinText } from './pin';
import { TimeChart } from './TimeChart';

const line = (id: string, factor: number): Line => ({
  id,
  label: id,
  color: 'var(--arm-1)',
  points: [...Array.from({ length: 11 }, (_, t): [number, number] => [t, t * factor]), [10.1, 1]],
});
/** As wide as test-setup.ts says that everything is. */
const WIDTH = 600;

function open(at = '/', onMoment: ((t: number) => void) | undefined = vi.fn()) {
  const common = { unit: '%', domain: [0, 10] as const, measureS: 10, syncId: 's', showLatest: false };
  const page = show(
    <PinProvider>
      <TimeChart {...common} title="One" lines={[line('before', 1)]} onMoment={onMoment} />
      <TimeChart {...common} title="Two" lines={[line('after', 2)]} />
    </PinProvider>,
    { path: '/', at },
  );
  return { ...page, onMoment };
}

const figure = (title: string) => screen.findByRole('figure', { name: `${title}, %` });
const plotOf = async (title: string) => {
  const chart = await figure(title);
  await waitFor(() => expect(chart.querySelector('.recharts-wrapper')).not.toBeNull());
  return chart.querySelector('.recharts-wrapper') as HTMLElement;
};
const at = (second: number) => ({
  clientX: PLOT_LEFT + (second / 10) * (WIDTH - PLOT_LEFT - PLOT_RIGHT),
  clientY: 40,
});

async function click(plot: HTMLElement, second: number) {
  await waitFor(() => {
    fireEvent.mouseMove(plot, at(second));
    expect(screen.getAllByText(`at ${second} s`)).not.toHaveLength(0);
  });
  fireEvent.click(plot, at(second));
}
const pinnedIn = async (title: string) =>
  (await figure(title)).querySelector('[data-pinned]')?.textContent.replace(/\s+/g, ' ');

describe('A pinned moment', () => {
  beforeEach(() => {
    vi.spyOn(HTMLElement.prototype, 'offsetWidth', 'get').mockReturnValue(WIDTH);
    vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(168);
    vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, WIDTH, 168));
  });

  it('is chosen by a click, and all charts keep what they read there', async () => {
    const { address, onMoment } = open();
    await click(await plotOf('One'), 4);
    expect(address()).toBe('/?pin=4');
    await waitFor(async () => expect(await pinnedIn('One')).toBe('before4 %pinned at 4 s'));
    expect(await pinnedIn('Two')).toBe('after8 %pinned at 4 s');
    expect(screen.getByRole('status')).toHaveTextContent('Pinned: 4 s');
    expect(onMoment).not.toHaveBeenCalled();
  });

  it('is where a finger taps, which has moved no crosshair there', async () => {
    const { address } = open();
    fireEvent.click(await plotOf('One'), at(6));
    await waitFor(() => expect(address()).toBe('/?pin=6'));
  });

  it('is one that the chart shows, where a reading came just after its end', async () => {
    const { address } = open();
    fireEvent.click(await plotOf('One'), at(9.9));
    await waitFor(() => expect(address()).toBe('/?pin=10'));
    expect(await pinnedIn('One')).toMatch(/^before10 %/);
  });

  it('can be written on by whoever may', async () => {
    const { onMoment, user } = open();
    await click(await plotOf('One'), 4);
    await user.click(await screen.findByRole('button', { name: 'Add a note' }));
    expect(onMoment).toHaveBeenCalledWith(4);
    await click(await plotOf('Two'), 6);
    await waitFor(() => expect(screen.getByRole('status')).toHaveTextContent('Pinned: 6 s'));
    expect(screen.queryByRole('button', { name: 'Add a note' })).not.toBeInTheDocument();
  });

  it('is chosen and let go by Enter, where the keyboard reads', async () => {
    const { address, user } = open();
    const chart = await figure('Two');
    const reader = await within(chart).findByRole('slider');
    reader.focus();
    fireEvent.change(reader, { target: { value: '7' } }); // what an arrow key does, which jsdom does not
    await user.keyboard('{Enter}');
    expect(address()).toBe('/?pin=7');
    await waitFor(async () => expect(await pinnedIn('One')).toBe('before7 %pinned at 7 s'));
    await user.keyboard('{Enter}');
    expect(address()).toBe('/');
  });

  it.each(['{Escape}', 'button'])('is read from the address, and let go by %s', async (way) => {
    const { address, user } = open('/?pin=3');
    await waitFor(async () => expect(await pinnedIn('Two')).toBe('after6 %pinned at 3 s'));
    if (way === 'button') await user.click(screen.getByRole('button', { name: 'Unpin' }));
    else await user.keyboard(way);
    expect(address()).toBe('/');
    await waitFor(async () => expect(await pinnedIn('Two')).toBeUndefined());
  });

  it('is none where the address says nothing of use', () => {
    expect(['', 'x', '1e9', '3.25', '-2'].map(parsePin)).toEqual([null, null, null, 3.25, -2]);
    expect(pinText(3.2549)).toBe('3.25');
  });
});
