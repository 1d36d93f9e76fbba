import { screen } from '@testing-library/react';
import { Suspense } from 'react';
import { describe, expect, it, vi } from 'vitest';
import { show } from '@/test/show';
import { lazyPart, openPart } from './lazyPart';

describe('lazyPart', () => {
  it('draws what has arrived', async () => {
    const Part = lazyPart(async () => ({ name }: { name: string }) => <b>{name}</b>);
    show(
      <Suspense>
        <Part name="here" />
      </Suspense>,
    );
    expect(await screen.findByText('here')).toBeVisible();
  });

  it('leaves the rest of the page alone where a part is gone after an upgrade', async () => {
    const reload = vi.fn();
    vi.stubGlobal('location', { ...window.location, reload });
    const Part = lazyPart(() => Promise.reject(new TypeError('Failed to fetch dynamically imported module')));
    const { user } = show(
      <>
        <input aria-label="Note" defaultValue="half a sentence" />
        <Suspense>
          <Part />
        </Suspense>
      </>,
    );
    expect(await screen.findByRole('alert')).toHaveTextContent('A newer version was installed');
    expect(screen.getByLabelText('Note')).toHaveValue('half a sentence');
    await user.click(screen.getByRole('button', { name: 'Reload the page' }));
    expect(reload).toHaveBeenCalledOnce();
    vi.unstubAllGlobals();
  });
});

describe('openPart', () => {
  it('opens one dialog, however often one presses before the part has arrived', async () => {
    const open = vi.fn();
    const load = vi.fn(() => Promise.reject(new Error('gone')));
    await Promise.all([openPart(load, open), openPart(load, open)]);
    expect(open).toHaveBeenCalledOnce();
    await openPart(load, open);
    expect(open).toHaveBeenCalledTimes(2);
  });
});
