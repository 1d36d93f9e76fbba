import { Skeleton } from '@mantine/core';
import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, it, vi } from 'vitest';
import { show } from '@/test/show';
import { lazyPart } from './lazyPart';
import { PrintButton } from './PrintButton';
import { WhenNear } from './WhenNear';

afterEach(() => vi.unstubAllGlobals());

it('prints once what is further down has come', async () => {
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      observe() {}
      disconnect() {}
    },
  );
  const print = vi.fn();
  vi.stubGlobal('print', print);
  let arrive = (_: () => React.ReactNode) => {};
  const Chart = lazyPart(() => new Promise<() => React.ReactNode>((resolve) => (arrive = resolve)));
  show(
    <>
      <PrintButton />
      <WhenNear height={100}>
        <Chart />
      </WhenNear>
    </>,
  );
  await userEvent.click(screen.getByRole('button', { name: 'Print' }));
  expect(screen.getByRole('button', { name: 'Print: the page is loading' })).toHaveFocus();
  expect(print).not.toHaveBeenCalled();
  await act(async () => arrive(() => 'a chart'));
  await waitFor(() => expect(print).toHaveBeenCalledOnce());
  expect(screen.getByText('a chart')).toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Print' })).toHaveFocus();
});

it('prints nothing once another page is shown', async () => {
  const print = vi.fn();
  vi.stubGlobal('print', print);
  const { unmount } = show(
    <>
      <PrintButton />
      <Skeleton />
    </>,
  );
  await userEvent.click(screen.getByRole('button', { name: 'Print' }));
  unmount();
  await new Promise((resolve) =>
    requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
  expect(print).not.toHaveBeenCalled();
});
