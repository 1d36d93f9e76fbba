import { screen, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { plain } from '@/test/plain';
import { rowsOf, show } from '@/test/show';
import { FlameView, type ProfiledArm } from './FlameView';
import type { Claim } from './FrameTable';
import { off, six } from './profiles.testdata';

const frames = ['main', 'deflate', 'send', 'copy'];
const modules = ['nginx', 'libz.so.1', 'nginx', 'kernel'];
const profile = (
  label: string,
  cpu_us_per_request: number,
  samples: [number, number, number],
): ProfiledArm => ({
  label,
  frames,
  modules,
  cpu_us_per_request,
  stacks: [
    { frames: [0, 1], samples: samples[0] },
    { frames: [0, 2], samples: samples[1] },
    { frames: [0, 2, 3], samples: samples[2] },
  ],
});
const gzip = profile('gzip 6', 1000, [800, 50, 150]);
const none = profile('off', 200, [0, 50, 150]);

const tree = () => screen.getByRole('tree');
const boxes = () => within(tree()).getAllByRole('treeitem');
const names = () => boxes().map((box) => plain(box.getAttribute('aria-label') ?? ''));
const box = (name: RegExp) => within(tree()).getByRole('treeitem', { name });
const rows = () => rowsOf(screen.getByRole('table'));
/** The box that the keyboard is at. */
const current = () =>
  document.getElementById(tree().getAttribute('aria-activedescendant') ?? '')?.textContent;

describe('The flame graph of an arm', () => {
  it('says of each frame what it costs a request, and which are of the kernel', () => {
    show(<FlameView arm={gzip} />);
    expect(names()).toEqual([
      'all, CPU a request 1 ms, Share 100 %, By itself 0 µs',
      'main, Module nginx, CPU a request 1 ms, Share 100 %, By itself 0 µs',
      'deflate, Module libz.so.1, CPU a request 800 µs, Share 80 %, By itself 800 µs',
      'send, Module nginx, CPU a request 200 µs, Share 20 %, By itself 50 µs',
      'copy (kernel), Module kernel, CPU a request 150 µs, Share 15 %, By itself 150 µs',
    ]);
    expect(rows()).toEqual([
      'deflate | libz.so.1 | 800 µs | 80 % | 800 µs | 80 %',
      'copy | kernel | 150 µs | 15 % | 150 µs | 15 %',
      'send | nginx | 50 µs | 5 % | 200 µs | 20 %',
      'main | nginx | 0 µs | 0 % | 1 ms | 100 %',
    ]);
  });

  it('shows a frame that is pressed over its whole width, with the table, and all again', async () => {
    const { user } = show(<FlameView arm={gzip} />);
    await user.click(box(/^send/));
    expect(boxes().map(({ textContent }) => textContent)).toEqual(['all', 'main', 'send', 'copy (kernel)']);
    expect(rows()).toEqual([
      'copy | kernel | 150 µs | 75 % | 150 µs | 75 %',
      'send | nginx | 50 µs | 25 % | 200 µs | 100 %',
    ]);
    await user.click(screen.getByRole('button', { name: 'Show all' }));
    expect(boxes()).toHaveLength(5);
    await user.click(box(/^send/));
    await user.click(box(/^all/));
    expect(boxes()).toHaveLength(5);
  });

  it('is read by the keyboard: arrows, Enter, Escape, Home', async () => {
    const { user } = show(<FlameView arm={gzip} />);
    await user.tab(); // the search
    await user.tab();
    expect(tree()).toHaveFocus();
    expect(current()).toBe('all');
    await user.keyboard('{ArrowDown}{ArrowDown}');
    expect(current()).toBe('deflate');
    await user.keyboard('{ArrowRight}');
    expect(current()).toBe('send');
    await user.keyboard('{Enter}');
    expect(boxes()).toHaveLength(4);
    await user.keyboard('{ArrowDown}');
    expect(current()).toBe('copy (kernel)');
    await user.keyboard('{Escape}');
    expect(current()).toBe('main');
    expect(boxes()).toHaveLength(5);
    await user.keyboard('{ArrowDown}{Enter}{Home}');
    expect(current()).toBe('all');
    expect(boxes()).toHaveLength(5);
  });

  it('searches for functions and modules, and sums what it finds', async () => {
    const { user } = show(<FlameView arm={gzip} />);
    await user.type(screen.getByRole('searchbox', { name: 'Search functions' }), 'KERN');
    expect(await screen.findByText(/^Found/)).toHaveTextContent(
      'Found: 150 µs a request, 15 % of the arm’s CPU.',
    );
    const found = boxes().filter((one) => one.dataset.found);
    expect(found.map(({ textContent }) => textContent)).toEqual(['copy (kernel)']);
    expect(rows()).toHaveLength(1);
  });

  it('and its table show each other what is looked at', async () => {
    const { user } = show(<FlameView arm={gzip} />);
    await user.hover(box(/^send/));
    expect(screen.getByRole('button', { name: 'send' })).toHaveAttribute('data-pointed');
    await user.unhover(box(/^send/));
    await user.click(screen.getByRole('button', { name: 'deflate' }));
    expect(await screen.findByText(/^Found: 800/)).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'deflate' }));
    expect(screen.queryByText(/^Found/)).not.toBeInTheDocument();
  });
});

describe('The difference of two arms', () => {
  const claims: Claim[] = [
    { frame: 'deflate', module: 'libz.so.1', kind: 'self', low: 780, high: 820, claimed: true },
    { frame: 'copy', module: 'kernel', kind: 'self', low: -5, high: 5, claimed: false },
  ];

  it('is of CPU a request, whatever its share', () => {
    show(<FlameView arm={gzip} against={none} claims={claims} />);
    expect(names().slice(2)).toEqual([
      'deflate, Module libz.so.1, gzip 6 800 µs, off 0 µs, Difference +800 µs, Difference by itself +800 µs',
      'send, Module nginx, gzip 6 200 µs, off 200 µs, Difference 0 µs, Difference by itself 0 µs',
      'copy (kernel), Module kernel, gzip 6 150 µs, off 150 µs, Difference 0 µs, Difference by itself 0 µs',
    ]);
    expect(rows()[0]).toBe('deflate | libz.so.1 | 800 µs | 0 µs | +800 µs780 to 820 µs | +800 µs');
    expect(rows()).toContain('copy | kernel | 150 µs | 150 µs | 0 µs−5 to 5 µs | 0 µs');
    expect(screen.getByText('+800 µs', { selector: '[data-claimed]' })).toBeVisible();
    expect(strengths(/^deflate/)).toEqual(['more', '100%']);
    expect(strengths(/^send/)[1]).toBe('0%');
  });

  const strengths = (name: RegExp) => {
    const { dataset, style } = box(name);
    return [dataset.kind, style.getPropertyValue('--strength')];
  };

  it('has the other colours, and nothing else, where the arms are swapped', () => {
    const one = show(<FlameView arm={gzip} against={none} />);
    const places = () => boxes().map(({ style: { left, width, top } }) => [left, width, top]);
    const [before, colour] = [places(), strengths(/^deflate/)];
    one.unmount();
    show(<FlameView arm={none} against={gzip} />);
    expect(places()).toEqual(before);
    expect([colour, strengths(/^deflate/)]).toEqual([
      ['more', '100%'],
      ['less', '100%'],
    ]);
    expect(names()[2]).toContain('Difference −800 µs');
  });

  it('tells how much of it a search found', async () => {
    const { user } = show(<FlameView arm={gzip} against={none} />);
    await user.type(screen.getByRole('searchbox'), 'deflate');
    expect(await screen.findByText(/^Found/)).toHaveTextContent(
      'Found: 800 µs a request, +800 µs, which is 100 % of the difference.',
    );
  });
});

it('A real profile is drawn with few elements, and told in the table', async () => {
  vi.spyOn(Element.prototype, 'scrollIntoView');
  const { user } = show(<FlameView arm={{ ...six, label: '6' }} against={{ ...off, label: 'off' }} />);
  expect(boxes().length).toBeLessThan(600);
  expect(rows()[0]).toMatch(/^\[libz/);
  expect(rows()).toHaveLength(10);
  await user.click(screen.getByRole('button', { name: /^All \d+ functions$/ }));
  expect(rows().length).toBeGreaterThan(50);
});
