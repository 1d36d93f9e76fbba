import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Conversion, ConvertedLine } from '@/api/generated';
import { aHostRow, anExperiment, aPage, aRun } from '@/test/fixtures';
import { problem, serve } from '@/test/server';
import { show } from '@/test/show';
import OwnConfigurationPage from './OwnConfigurationPage';

const line = (more: Partial<ConvertedLine>): ConvertedLine => ({
  file: 'nginx.conf',
  line: 1,
  text: 'gzip on',
  action: 'kept',
  reason: null,
  becomes: ['gzip on;'],
  masked: false,
  ...more,
});

const made = {
  configurations: [
    {
      name: 'nginx.conf',
      lines: [
        line({}),
        line({
          line: 2,
          text: 'root /var/www',
          action: 'replaced',
          reason: 'files of like sizes are made for each trial',
          becomes: ['root @@folder@@/files;'],
        }),
        line({ line: 3, text: 'user www-data', action: 'dropped', reason: 'no reason', becomes: [] }),
      ],
      kept: 1,
      replaced: 1,
      dropped: 1,
      masked: 0,
      server: 1,
      servers: [
        { number: 0, title: 'a.example.org' },
        { number: 1, title: 'b.example.org' },
      ],
    },
  ],
  changes: [
    { key: 'd1', title: 'gzip off → gzip on', part: 'http', within: [], old: '', new: '', group: 0 },
    { key: 'd2', title: 'workers 1 → 2', part: 'nginx', within: [], old: '', new: '', group: 1 },
  ],
  questions: ['server'],
  path: '/',
  workers: 2,
  notes: [],
  name: 'nginx.conf',
  primary: [{ name: 'requests_per_s', title: 'Requests per second' }],
  definition: {
    question: 'What does nginx.conf do under load?',
    factors: [],
    streams: [{ key: 'clients' }],
    upstream_servers: [{ key: 'app', slot: 'upstream' }],
    nginx: {},
  },
  words: [],
  plan: {
    blocks: 5,
    arms: 2,
    trials: 10,
    warmup_s: 2,
    measure_s: 8,
    cooldown_s: 0,
    total_s: 100,
  },
  yaml: '',
} as unknown as Conversion;

const CONVERT = 'POST /experiments/conversion';
const host = aHostRow({ id: 'host-1', name: 'bench', state: 'idle' });

async function pasteInto(user: ReturnType<typeof show>['user'], label: string, text: string) {
  await user.click(screen.getByLabelText(label, { selector: 'textarea' }));
  await user.paste(text);
}

async function converted() {
  const server = serve({ 'GET /hosts': aPage([host]), [CONVERT]: made });
  const shown = show(<OwnConfigurationPage />);
  await pasteInto(shown.user, 'Your configuration', 'set $token s3cret; # s3cret');
  await screen.findByRole('table', { name: 'Lines of nginx.conf' });
  return { server, ...shown };
}

describe('OwnConfigurationPage', () => {
  it('sends no secret, and shows what became of each line', async () => {
    const { server, user } = await converted();
    const sent = JSON.stringify(server.bodies('POST /experiments/conversion').at(-1));
    expect(sent).toContain('set $token ********; #');
    expect(sent).not.toContain('s3cret');
    const table = screen.getByRole('table', { name: 'Lines of nginx.conf' });
    expect(within(table).queryByText('gzip on')).not.toBeInTheDocument();
    expect(within(table).getByText('root @@folder@@/files;')).toBeInTheDocument();
    expect(within(table).getByText('files of like sizes are made for each trial')).toBeInTheDocument();
    await user.click(screen.getByRole('checkbox', { name: 'Show the lines that are kept, too' }));
    expect(within(table).getByText('gzip on')).toBeInTheDocument();
    expect(screen.getByText('1 kept · 1 replaced · 1 dropped')).toBeInTheDocument();
  });

  it('says beside Run what was chosen without being asked for, and leads to it', async () => {
    const { user } = await converted();
    const bar = screen.getByText('Chosen for you:').parentElement;
    expect(bar).toHaveTextContent('The load of nginx.conf goes to b.example.org, of 2 server blocks.');
    expect(bar).not.toHaveTextContent('worker');
    expect(screen.getByText('The verdict is about: Requests per second.')).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Change' }));
    const field = screen.getByLabelText('Server block of nginx.conf that gets the load', {
      selector: 'input',
    });
    expect(field).toHaveFocus();
    await user.click(field);
    await user.click(await screen.findByRole('option', { name: 'a.example.org', hidden: true }));
    expect(screen.queryByText('Chosen for you:')).not.toBeInTheDocument();
  });

  it('asks once which server block gets the load where two configurations have the same', async () => {
    const [one] = made.configurations;
    const others = [
      ...(one?.lines ?? []),
      line({ line: 4, text: 'pid a', action: 'dropped', reason: 'own' }),
    ];
    const both = { ...made, configurations: [one, { ...one, name: 'new.conf', lines: others }] };
    const server = serve({ 'GET /hosts': aPage([host]), [CONVERT]: both });
    const { user } = show(<OwnConfigurationPage />);
    await pasteInto(user, 'Your configuration', 'events {} http { server {} }');
    const field = await screen.findByLabelText('Server block that gets the load', { selector: 'input' });
    expect(screen.getByText('Chosen for you:').parentElement).toHaveTextContent(
      'Chosen for you: The load goes to b.example.org, of 2 server blocks.',
    );
    await user.click(field);
    await user.click(await screen.findByRole('option', { name: 'a.example.org', hidden: true }));
    const sent = server.bodies(CONVERT).at(-1) as { configurations: unknown[] };
    expect(sent.configurations).toEqual([expect.objectContaining({ server: 0 })]);
    const second = within(screen.getByRole('table', { name: 'Lines of new.conf' }));
    expect(second.getByText('pid a')).toBeInTheDocument();
    expect(second.queryByText('user www-data')).not.toBeInTheDocument();
    await user.click(screen.getByRole('checkbox', { name: 'Show all lines' }));
    expect(second.getByText('user www-data')).toBeInTheDocument();
    expect(screen.queryByText('Chosen for you:')).not.toBeInTheDocument();
  });

  it('makes it again with an answer', async () => {
    const { server, user } = await converted();
    await user.click(screen.getByRole('radio', { name: 'Each change by itself, too' }));
    expect(server.bodies('POST /experiments/conversion').at(-1)).toMatchObject({ arms: 'each' });
    const path = screen.getByLabelText('The load asks for');
    await user.clear(path);
    await user.type(path, '/app');
    await user.click(screen.getByRole('button', { name: 'Apply' }));
    expect(server.bodies('POST /experiments/conversion').at(-1)).toMatchObject({
      arms: 'each',
      path: '/app',
    });
  });

  it('runs two configurations by two pastes and one press', async () => {
    const server = serve({ 'GET /hosts': aPage([host]), [CONVERT]: made });
    server.answer('POST /experiments', anExperiment({ id: 'made' }));
    server.answer('POST /experiments/made/runs', aRun({ id: 'run-9' }));
    const { user, address } = show(<OwnConfigurationPage />);
    const run = screen.getByRole('button', { name: 'Run' });
    expect(run).toBeDisabled();
    await pasteInto(user, 'Your configuration', 'events {} http { server {} }');
    await pasteInto(user, 'Another one, to compare', 'events {} http { gzip on; server {} }');
    await waitFor(() => expect(run).toBeEnabled());
    await user.click(run);
    await waitFor(() => expect(address()).toBe('/runs/run-9'));
    const sent = server.bodies(CONVERT).at(-1) as { configurations: unknown[] };
    expect(sent.configurations).toHaveLength(2);
    expect(server.bodies('POST /experiments').at(-1)).toMatchObject({
      name: 'nginx.conf',
      definition: made.definition,
    });
    expect(server.bodies('POST /experiments/made/runs').at(-1)).toEqual({
      hosts: { target: 'host-1', upstream: 'host-1', generator: 'host-1' },
      addresses: {},
      note: 'nginx.conf: 1 kept · 1 replaced · 1 dropped',
    });
  });

  it('says what cannot be read, and does not run it', async () => {
    const server = serve({ 'GET /hosts': aPage([host]), [CONVERT]: problem(422, 'nginx.conf, line 1: no.') });
    const { user } = show(<OwnConfigurationPage />);
    await pasteInto(user, 'Your configuration', 'server');
    expect(await screen.findByRole('alert')).toHaveTextContent('nginx.conf, line 1: no.');
    expect(screen.getByRole('button', { name: 'Run' })).toBeDisabled();
    expect(server.bodies('POST /experiments')).toEqual([]);
  });
});
