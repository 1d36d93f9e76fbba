import { MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { configureClient } from '@/api/client';
import { client } from '@/api/generated/client.gen';
import { meKey } from '@/api/session';
import DesignerPage from './DesignerPage';

interface Sent {
  definition: {
    streams: { connections: unknown }[];
    design: { off: string[] };
    baseline: string;
    nginx: { server: string };
    plan: { primary: string[] };
  };
}
const previews: Sent[] = [];

/** The network's edge: finds fault with fewer than two connections, as the backend would. */
async function answer(input: RequestInfo | URL): Promise<Response> {
  const request = input as Request;
  if (!request.url.endsWith('/experiments/preview')) return Response.json([]);
  const sent = (await request.clone().json()) as Sent;
  previews.push(sent);
  const tooFew = Number(sent.definition.streams[0]?.connections) < 2;
  const problems = tooFew
    ? [{ field: 'streams.0.connections', message: 'must be at least 2', line: null, arms: [] }]
    : [];
  const warned = Number(sent.definition.streams[0]?.connections) === 7;
  const warnings = warned
    ? [{ field: 'factors', message: 'arms a, b are the same', line: null, arms: [] }]
    : [];
  return Response.json({
    problems,
    warnings,
    definition: null,
    baseline: null,
    matrix: [],
    arms: [],
    plan: null,
    slots: [],
    primary: {
      metrics: [
        { name: 'requests_per_s', title: 'Requests per second' },
        { name: 'latency_p50_us', title: 'Latency, median' },
        { name: 'latency_p99_us', title: 'Latency, p99' },
      ],
      defaults: ['requests_per_s', 'latency_p99_us'],
      differing: ['keepalive'],
      proposed: ['latency_p50_us', 'requests_per_s', 'latency_p99_us'],
    },
  });
}

function show() {
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queryClient.setQueryData(meKey, { account: { role: 'experimenter' }, csrf_token: 't' });
  const router = createMemoryRouter([{ path: '/', Component: DesignerPage }]);
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={queryClient}>
        <Notifications />
        <ModalsProvider>
          <RouterProvider router={router} />
        </ModalsProvider>
      </QueryClientProvider>
    </MantineProvider>,
  );
  return userEvent.setup();
}

/** Two factors of two levels each. */
async function showMatrix() {
  const user = show();
  for (const _ of [1, 2])
    await user.click(screen.getAllByRole('button', { name: 'Add factor' })[0] as HTMLElement);
  const grid = screen.getByRole('grid', { name: 'Arms' });
  return { user, cells: within(grid).getAllByRole('switch') as [HTMLElement, ...HTMLElement[]] };
}

describe('DesignerPage', () => {
  beforeEach(() => {
    previews.length = 0;
    sessionStorage.clear();
    vi.stubGlobal('fetch', answer);
    configureClient();
    client.setConfig({ baseUrl: 'http://upstream' });
    Element.prototype.scrollIntoView = vi.fn();
  });
  afterEach(() => void vi.unstubAllGlobals());

  it('moves in the matrix by arrows, and switches by Space', async () => {
    const { user, cells } = await showMatrix();
    expect(cells).toHaveLength(4);
    cells[0].focus();
    await user.keyboard('{ArrowRight}{ArrowDown}');
    expect(cells[3]).toHaveFocus();
    await user.keyboard('{ArrowDown}{ArrowRight}');
    expect(cells[3]).toHaveFocus(); // an edge is an edge
    await user.keyboard(' ');
    expect(cells[3]).not.toBeChecked();
    await user.keyboard(' ');
    expect(cells[3]).toBeChecked();
    await user.keyboard('{ArrowLeft} ');
    await waitFor(() => expect(previews.at(-1)?.definition.design.off).toEqual(['level-2.level-1']));
  });

  it('is one stop for Tab, and makes the baseline by B', async () => {
    const { user, cells } = await showMatrix();
    expect(cells.filter((cell) => cell.tabIndex === 0)).toHaveLength(1);
    cells[0].focus();
    await user.keyboard('{ArrowDown}b');
    expect(screen.getByRole('radio', { name: 'Baseline: Level 2, Level 1' })).toBeChecked();
  });

  it('says what can be run and may not be meant', async () => {
    const user = show();
    await user.type(screen.getByLabelText('Name'), 'x');
    const connections = screen.getByLabelText('Connections');
    await user.clear(connections);
    await user.type(connections, '7');
    const list = await screen.findByRole('list', { name: 'Warnings' });
    expect(within(list).getByRole('button', { name: /arms a, b are the same/ })).toBeInTheDocument();
    expect(screen.getByText('1 warning')).toBeInTheDocument();
    expect(screen.getByText(/may not be what you mean/)).toBeInTheDocument();
    expect(connections).not.toBeInvalid();
    await user.clear(connections);
    await user.type(connections, '8');
    expect(await screen.findByText('No problems')).toBeInTheDocument();
  });

  it('shows a problem at its field, and leads to it from the list', async () => {
    const user = show();
    await user.type(screen.getByLabelText('Name'), 'x');
    const connections = screen.getByLabelText('Connections');
    await user.clear(connections);
    await user.type(connections, '1');
    const list = await screen.findByRole('list', { name: 'Problems' });
    const button = await within(list).findByRole('button', { name: /must be at least 2/ });
    expect(connections).toBeValid();
    await user.click(button);
    expect(connections).toBeInvalid();
    expect(connections).toHaveFocus();
  });

  it('has nothing red before anybody has been there, and all that is wrong once somebody saves', async () => {
    const user = show();
    await screen.findByRole('button', { name: /Give the experiment a name/ });
    expect(screen.getByLabelText('Name')).toBeValid();
    await user.click(screen.getByRole('button', { name: 'Save and run' }));
    expect(screen.getByLabelText('Name')).toBeInvalid();
    expect(screen.getByLabelText('Name')).toHaveFocus();
  });

  it('undoes outside of texts, and leaves texts their own undo', async () => {
    const { user, cells } = await showMatrix();
    await user.click(cells[0]);
    expect(cells[0]).not.toBeChecked();
    await user.keyboard('{Control>}z{/Control}');
    expect(cells[0]).toBeChecked();
    await user.keyboard('{Control>}{Shift>}z{/Shift}{/Control}');
    expect(cells[0]).not.toBeChecked();
    screen.getByLabelText('Name').focus();
    await user.keyboard('{Control>}z{/Control}');
    expect(cells[0]).not.toBeChecked();
  });

  it('keeps what was typed over a reload, even what makes no sense', async () => {
    const user = show();
    await user.type(screen.getByLabelText('Name'), 'Half done');
    await user.clear(screen.getByLabelText('Connections'));
    await user.type(screen.getByLabelText('Connections'), 'many');
    cleanup();
    show();
    expect(screen.getByLabelText('Name')).toHaveValue('Half done');
    expect(screen.getByLabelText('Connections')).toHaveValue('many');
    await userEvent.click(screen.getByRole('button', { name: 'Discard draft' }));
    await waitFor(() => expect(screen.getByLabelText('Name')).toHaveValue(''));
  });

  const serverSent = () => previews.at(-1)?.definition.nginx.server;
  const sentLast = () => previews.at(-1)?.definition.plan.primary;

  it('tells the primary metrics by default, and lets one choose others, in an order, by the keyboard', async () => {
    const user = show();
    expect(await screen.findByText(/1\. Requests per second\s+2\. Latency, p99/)).toBeInTheDocument();
    expect(sentLast()).toEqual([]);
    screen.getByRole('button', { name: 'Choose' }).focus();
    await user.keyboard('{Enter}');
    const first = screen.getByRole('combobox', { name: 'Primary metric 1' });
    expect(first).toHaveValue('requests_per_s');
    screen.getByRole('button', { name: 'Move primary metric 2 up' }).focus();
    await user.keyboard('{Enter}');
    await waitFor(() => expect(sentLast()).toEqual(['latency_p99_us', 'requests_per_s']));
    await user.click(screen.getByRole('button', { name: 'Add metric' }));
    await waitFor(() => expect(sentLast()).toEqual(['latency_p99_us', 'requests_per_s', 'latency_p50_us']));
    expect(screen.queryByRole('button', { name: 'Add metric' })).not.toBeInTheDocument();
  });

  it('offers the metrics that show what arms differ in', async () => {
    const user = show();
    expect(
      await screen.findByText(
        'Arms differ in keepalive, which these metrics show: Latency, median, Requests per second, Latency, p99.',
      ),
    ).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Use these' }));
    await waitFor(() => expect(sentLast()).toEqual(['latency_p50_us', 'requests_per_s', 'latency_p99_us']));
    expect(screen.queryByRole('button', { name: 'Use these' })).not.toBeInTheDocument();
  });

  it('puts right what is mechanical, shows it, and takes it back', async () => {
    const user = show();
    await user.type(screen.getByLabelText('Name'), 'x');
    await user.click(screen.getByRole('button', { name: 'Add files to serve' }));
    await waitFor(() => expect(serverSent()).toContain('location /files/ {\n    root @@folder@@/files;\n}'));
    await user.click(screen.getByRole('button', { name: 'Undo' }));
    expect(screen.queryByLabelText('Folder')).not.toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Redo' }));
    const folder = screen.getByLabelText('Folder');
    await user.clear(folder);
    await user.type(folder, 'pages');
    expect(screen.queryByRole('list', { name: 'Warnings' })).not.toBeInTheDocument(); // nobody asks for them
    const path = screen.getByLabelText('Path');
    await user.clear(path);
    await user.type(path, '/pages/0');
    const list = await screen.findByRole('list', { name: 'Warnings' });
    await user.click(within(list).getByRole('button', { name: 'Fix it' }));
    await waitFor(() => expect(serverSent()).toContain('location /pages/ {'));
    expect(screen.queryByRole('list', { name: 'Warnings' })).not.toBeInTheDocument();
    await user.click(within(await screen.findByRole('alert')).getByRole('button', { name: 'Undo' }));
    expect(await screen.findByRole('list', { name: 'Warnings' })).toBeInTheDocument();
  });

  it('goes back to the primary metrics by default', async () => {
    const user = show();
    await user.click(await screen.findByRole('button', { name: 'Choose' }));
    await waitFor(() => expect(sentLast()).toHaveLength(2));
    await user.click(screen.getByRole('button', { name: 'Use the defaults' }));
    expect(screen.getByText(/1\. Requests per second/)).toBeInTheDocument();
    expect(screen.queryByRole('combobox', { name: 'Primary metric 1' })).not.toBeInTheDocument();
  });
});
