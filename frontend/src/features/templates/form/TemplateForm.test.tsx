import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { configureClient } from '@/api/client';
import type { TemplateDetail } from '@/api/generated';
import { client } from '@/api/generated/client.gen';
import { queryKeys } from '@/api/queryKeys';
import { TemplateForm } from './TemplateForm';

const template: TemplateDetail = {
  key: 'reuseport',
  title: 'Socket sharding',
  summary: '',
  question: '',
  mechanism: '',
  source: { title: 'An article', url: null, published: '2015' },
  parameters: [
    {
      name: 'connections',
      section: 'Load',
      label: 'Connections',
      help: '',
      kind: 'integer',
      default: 100,
      minimum: 2,
      maximum: 500,
    },
  ],
  charts: [],
  needs: [],
  presets: [{ key: 'small', label: 'Small', help: 'A small one.', values: { connections: 10 } }],
};
const requests: { path: string; body: unknown }[] = [];

/** The network's edge: answers previews as the backend does, finding fault with odd numbers. */
async function answer(input: RequestInfo | URL): Promise<Response> {
  const request = input as Request;
  const path = new URL(request.url).pathname;
  if (path.endsWith('/hosts')) return Response.json([]);
  const body = await request.clone().json();
  requests.push({ path, body });
  if (!path.endsWith('/preview')) return Response.json({}, { status: 500 });
  const odd = body.parameters.connections % 2 === 1;
  const problems = odd ? [{ field: 'parameters.connections', message: 'use a multiple of 2' }] : [];
  return Response.json({ arms: [], baseline: null, plan: null, problems });
}

function show() {
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queryClient.setQueryData(queryKeys.me, { account: { role: 'experimenter' }, csrf_token: 't' });
  const router = createMemoryRouter([{ path: '/', element: <TemplateForm template={template} /> }]);
  render(
    <MantineProvider>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return { connections: screen.getByLabelText('Connections'), user: userEvent.setup() };
}

describe('TemplateForm', () => {
  beforeEach(() => {
    requests.length = 0;
    vi.stubGlobal('fetch', answer);
    configureClient();
    client.setConfig({ baseUrl: 'http://upstream' }); // Node's fetch knows no page to be relative to
  });
  afterEach(() => void vi.unstubAllGlobals());

  it('says what is wrong at the field, and asks for no preview of it', async () => {
    const { connections, user } = show();
    await waitFor(() => expect(requests).toHaveLength(1));
    await user.clear(connections);
    await user.type(connections, '900');
    await user.tab();
    expect(await screen.findByText('At most 500')).toBeInTheDocument();
    expect(requests.some(({ body }) => JSON.stringify(body).includes('900'))).toBe(false);
  });

  it('shows the problems that only the server sees, at their field', async () => {
    const { connections, user } = show();
    await user.clear(connections);
    await user.type(connections, '33');
    expect(await screen.findByText('use a multiple of 2')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Create only' })).toBeDisabled();
  });

  it('fills the form from a preset', async () => {
    const { connections, user } = show();
    await user.click(screen.getByText('Small'));
    await waitFor(() => expect(connections).toHaveValue('10'));
  });
});
