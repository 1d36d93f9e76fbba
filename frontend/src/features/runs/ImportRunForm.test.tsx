import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { problem, type Sent, serve } from '@/test/server';
import { show } from '@/test/show';
import RunsPage from './RunsPage';

const ARCHIVE = new File(['{"an":"archive"}'], 'run.zip', { type: 'application/zip' });

async function send(answer: unknown) {
  const server = serve({
    'GET /runs': { items: [], total: 0 },
    'GET /runs/choices': { templates: [], hosts: [], nginx: [], people: [], tags: [] },
    'POST /runs/import': answer,
  });
  const shown = show(<RunsPage />, { path: '/runs' });
  await shown.user.click(await screen.findByRole('button', { name: 'Import a run' }));
  await screen.findByRole('dialog', { name: 'Import a run' });
  const input = document.querySelector<HTMLInputElement>('input[type="file"]');
  await shown.user.upload(input as HTMLInputElement, ARCHIVE);
  await shown.user.click(screen.getByRole('button', { name: 'Import' }));
  return { server, shown };
}

describe('The dialog that imports a run', () => {
  it('sends the file as it is and opens the report', async () => {
    const { server, shown } = await send({ id: 'run-9' });
    await waitFor(() => expect(shown.address()).toBe('/runs/run-9/report'));
    const [sent] = server.to('POST /runs/import');
    expect(sent?.headers.get('Content-Type')).toBe('application/zip');
    expect(sent?.body).toEqual({ an: 'archive' });
  });

  it('says why an archive is refused, and stays', async () => {
    await send(problem(409, 'This run is here already: First light #1.', 'run-exists'));
    expect(await screen.findByRole('alert')).toHaveTextContent('This run is here already: First light #1.');
    expect(screen.getByRole('button', { name: 'Import' })).toBeEnabled();
  });

  it('ends what it sends when it is cancelled', async () => {
    const aborted = vi.fn();
    const { shown } = await send(
      ({ signal }: Sent) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(aborted()));
        }),
    );
    expect(await screen.findByText(/Nothing of it is kept/)).toBeVisible();
    await shown.user.click(screen.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(aborted).toHaveBeenCalledOnce());
    expect(shown.address()).toBe('/runs');
  });
});
