import { MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { Notifications, notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import { Fragment, type ReactNode } from 'react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { setCsrfToken } from '@/api/client';
import type { Role } from '@/api/generated';
import { meKey } from '@/api/session';
import { createQueryClient } from '@/app/queryClient';
import { theme } from '@/app/theme';
import { aMe } from './fixtures';

interface Options {
  /** The page's address in the router, e.g. `/hosts/:hostId`. */
  path?: string;
  /** The address that is visited. */
  at?: string;
  /** Who looks; `null` for nobody. */
  role?: Role | null;
  /** Off for what brings its own dialogs. */
  dialogs?: boolean;
}

/** Draw a page as the app does: with its router, caches, dialogs and notifications. */
export function show(page: ReactNode, options: Options = {}) {
  const { path = '/', at = path, role = 'experimenter', dialogs = true } = options;
  const me = role && aMe({ role });
  const queryClient = createQueryClient();
  queryClient.setQueryData(meKey, me);
  setCsrfToken(me ? me.csrf_token : '');
  notifications.clean();
  const router = createMemoryRouter(
    [
      { path, element: page },
      { path: '*', element: null },
    ],
    { initialEntries: [at] },
  );
  const Dialogs = dialogs ? ModalsProvider : Fragment;
  const { unmount } = render(
    <MantineProvider env="test" theme={theme}>
      <QueryClientProvider client={queryClient}>
        <Notifications />
        <Dialogs>
          <RouterProvider router={router} />
        </Dialogs>
      </QueryClientProvider>
    </MantineProvider>,
  );
  return {
    user: userEvent.setup(),
    queryClient,
    unmount,
    /** Where the router is now. */
    address: () => router.state.location.pathname + router.state.location.search,
  };
}

/** Choose an option of a select by the names that a reader sees. */
export async function choose(user: UserEvent, label: string, option: string | RegExp): Promise<void> {
  await user.click(screen.getByRole('combobox', { name: label }));
  await user.click(await screen.findByRole('option', { name: option }));
}

/** The texts of a table's rows, without its head: cells joined by a bar, and every blank an ordinary one. */
export function rowsOf(table: HTMLElement): string[] {
  return [...table.querySelectorAll('tbody tr')].map((row) =>
    [...row.querySelectorAll('td, th')]
      .map((cell) => cell.textContent.trim().replace(/\s/g, ' '))
      .join(' | '),
  );
}
