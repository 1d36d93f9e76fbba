import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Role } from '@/api/generated';
import { aDefinition, aHost, aHostRow, anExperiment, aRun } from '@/test/fixtures';
import { problem, serve } from '@/test/server';
import { choose, show } from '@/test/show';
import TemplatePage from './TemplatePage';
import { aPreview, aTemplate, CPUS } from './template.testdata';

const RUNS = 'POST /experiments/experiment-1/runs';
const FITS = {
  fits: true,
  needs: [{ ...CPUS, host: 'alpha', ok: true, detail: '8 CPUs', remedy: null }],
};

interface Options {
  more?: Record<string, unknown>;
  query?: string;
  role?: Role;
}

function open({ more, query = '', role = 'experimenter' }: Options = {}) {
  const server = serve({
    'GET /templates/reuseport': aTemplate(),
    'POST /templates/reuseport/preview': aPreview(),
    'POST /templates/reuseport/fit': FITS,
    'GET /hosts': [aHostRow(), aHostRow({ id: 'host-2', name: 'beta' })],
    'POST /experiments': anExperiment(),
    [RUNS]: aRun(),
    ...more,
  });
  const at = `/experiments/new/reuseport${query}`;
  return { server, ...show(<TemplatePage />, { path: '/experiments/new/:templateKey', at, role }) };
}

const run = () => screen.findByRole('button', { name: 'Run' });
const fitting = () => screen.findByRole('img', { name: 'available' });

describe('TemplatePage', () => {
  it('shows the question, what is compared, the plan, and what each arm runs', async () => {
    open();
    expect(await screen.findByRole('heading', { name: 'Socket sharding' })).toBeInTheDocument();
    expect(screen.getByText('Every worker has a socket of its own.')).toBeInTheDocument();
    expect(await screen.findByRole('heading', { name: 'Arms' })).toBeInTheDocument();
    expect(screen.getByRole('heading', { name: 'Plan' })).toBeInTheDocument();
    expect(await screen.findByLabelText('nginx.conf of reuseport')).toBeInTheDocument();
  });

  it('saves the experiment, runs it, and leads to the live page', async () => {
    const { server, user, address } = open();
    await fitting();
    await user.type(screen.getByLabelText('Note'), 'at night');
    await user.click(await run());
    await waitFor(() => expect(address()).toBe('/runs/run-1'));
    expect(server.bodies('POST /experiments')).toEqual([
      { name: 'Socket sharding', template_key: 'reuseport', parameters: { connections: 100 }, team_id: null },
    ]);
    expect(server.bodies(RUNS)).toEqual([
      { hosts: { target: 'host-1', generator: 'host-1' }, addresses: {}, note: 'at night' },
    ]);
  });

  it('takes a host for each slot, and asks whether they fit', async () => {
    const { server, user } = open({
      more: { 'GET /hosts/host-1': aHost(), 'GET /hosts/host-2': aHost({ id: 'host-2', name: 'beta' }) },
    });
    await fitting();
    await user.click(screen.getByRole('button', { name: /host for each part/ }));
    await choose(user, 'generator', /^beta/);
    await waitFor(() =>
      expect(server.bodies('POST /templates/reuseport/fit').at(-1)).toMatchObject({
        hosts: { target: 'host-1', generator: 'host-2' },
      }),
    );
  });

  it('can be for a team alone, where the reader is in one', async () => {
    const { server, user } = open({ more: { 'GET /teams': [{ id: 'team-1', name: 'Web' }] } });
    await fitting();
    await choose(user, 'Who may read it', 'Web');
    await user.click(await run());
    await waitFor(() => expect(server.bodies('POST /experiments')).toMatchObject([{ team_id: 'team-1' }]));
  });

  it('only saves when asked for no more', async () => {
    const { server, user, address } = open();
    await fitting();
    await user.click(screen.getByRole('button', { name: 'Create only' }));
    await waitFor(() => expect(address()).toBe('/experiments/experiment-1'));
    expect(server.to(RUNS)).toEqual([]);
  });

  it('leads to the saved experiment where only its run was refused, and says why', async () => {
    const { user, address } = open({ more: { [RUNS]: problem(409, 'alpha is draining.') } });
    await fitting();
    await user.click(await run());
    await waitFor(() => expect(address()).toBe('/experiments/experiment-1'));
    expect(await screen.findByText('alpha is draining.')).toBeInTheDocument();
  });

  it('shows a refusal at its field, and stays', async () => {
    const errors = [{ field: 'name', message: 'An experiment has this name.' }];
    const { user, address } = open({ more: { 'POST /experiments': problem(422, 'No.', 'invalid', errors) } });
    await fitting();
    await user.click(await run());
    await screen.findByText('An experiment has this name.');
    expect(screen.getByLabelText('Name')).toHaveAccessibleDescription('An experiment has this name.');
    expect(address()).toBe('/experiments/new/reuseport');
  });

  it('does not run on a host that lacks what it must have, and says what to do', async () => {
    const needs = [{ ...CPUS, host: 'alpha', ok: false, detail: '2 CPUs', remedy: 'Choose another host.' }];
    open({ more: { 'POST /templates/reuseport/fit': { fits: false, needs } } });
    const list = within(await screen.findByRole('list', { name: 'Needs' }));
    expect(await list.findByRole('img', { name: 'missing' })).toBeInTheDocument();
    expect(list.getByText('alpha: 2 CPUs')).toBeInTheDocument();
    expect(list.getByText('Choose another host.')).toBeInTheDocument();
    expect(await run()).toBeDisabled();
    expect(screen.getByRole('button', { name: 'Create only' })).toBeEnabled();
  });

  it.each([
    ['You need the experimenter role.', { role: 'viewer' }],
    ['No host is available.', { more: { 'GET /hosts': [] } }],
  ] as [string, Options][])('says why it cannot be run: %s', async (why, options) => {
    open(options);
    expect(await screen.findByText(why)).toBeInTheDocument();
    expect(await run()).toBeDisabled();
  });

  it('begins with the values of another experiment', async () => {
    const parameters = { connections: 42 };
    const definition = aDefinition({ template: { key: 'reuseport', parameters } });
    const origin = anExperiment({ name: 'Sharding again', definition });
    open({ query: '?from=experiment-1', more: { 'GET /experiments/experiment-1': origin } });
    expect(await screen.findByLabelText('Connections')).toHaveValue('42');
    expect(screen.getByLabelText('Name')).toHaveValue('Sharding again');
  });

  it('says that there is no such template', async () => {
    open({ more: { 'GET /templates/reuseport': problem(404, 'There is no such template.') } });
    expect(await screen.findByRole('alert')).toHaveTextContent('There is no such template.');
  });
});
