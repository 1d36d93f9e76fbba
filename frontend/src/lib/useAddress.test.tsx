import { act, renderHook } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { describe, expect, it } from 'vitest';
import { useAddress } from './useAddress';

/** What the hook gave in its first drawing, on a page at `address`, and the router. */
function open(address: string) {
  const given: ReturnType<typeof useAddress>[] = [];
  function Page() {
    given.push(useAddress());
    return null;
  }
  const router = createMemoryRouter([{ path: '/', Component: Page }], { initialEntries: [address] });
  renderHook(() => null, { wrapper: () => <RouterProvider router={router} /> });
  const change = given[0]?.[1];
  if (!change) throw new Error('not drawn');
  return { router, change };
}

const search = ({ router }: ReturnType<typeof open>) => router.state.location.search;

describe('What is in the address', () => {
  it('keeps changes that are asked for before the first is drawn', async () => {
    const page = open('/?host=edge');
    await act(async () => {
      page.change({ since: '2026-10-01' });
      page.change({ search: 'sockets' });
    });
    expect(search(page)).toBe('?host=edge&since=2026-10-01&search=sockets');
  });

  it('keeps a change that is asked for later, by a function of the first drawing', async () => {
    const page = open('/?host=edge');
    await act(async () => page.change({ since: '2026-10-01' }));
    await act(async () => page.change({ search: 'sockets', host: null }));
    expect(search(page)).toBe('?since=2026-10-01&search=sockets');
  });

  it('goes on from where the reader went meanwhile', async () => {
    const page = open('/?host=edge');
    await act(async () => page.change({ since: '2026-10-01' }));
    await act(async () => page.router.navigate('/?host=other'));
    await act(async () => page.change({ search: 'sockets' }));
    expect(search(page)).toBe('?host=other&search=sockets');
  });
});
