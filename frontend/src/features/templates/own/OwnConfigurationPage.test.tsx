import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Conversion, ConvertedLine } from '@/api/generated';
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
  definition: {},
  yaml: '',
} as unknown as Conversion;

async function converted() {
  const server = serve({ 'GET /hosts': [], 'POST /experiments/conversion': made });
  const shown = show(<OwnConfigurationPage />);
  await shown.user.click(screen.getByLabelText('Your configuration', { selector: 'textarea' }));
  await shown.user.paste('set $token s3cret; # s3cret');
  await shown.user.click(screen.getByRole('button', { name: 'Show what becomes of it' }));
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

  it('says what cannot be read', async () => {
    serve({ 'GET /hosts': [], 'POST /experiments/conversion': problem(422, 'nginx.conf, line 1: no.') });
    const { user } = show(<OwnConfigurationPage />);
    expect(screen.getByRole('button', { name: 'Show what becomes of it' })).toBeDisabled();
    await user.click(screen.getByLabelText('Your configuration', { selector: 'textarea' }));
    await user.paste('server');
    await user.click(screen.getByRole('button', { name: 'Show what becomes of it' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('nginx.conf, line 1: no.');
  });
});
