import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import type { PowerRequest } from '@/api/generated';
import type { Slot } from '@/domain/slots';
import { aHost, aHostRow, anInventory, aRun } from '@/test/fixtures';
import { aPlanPower } from '@/test/planPower';
import { problem, type Sent, serve } from '@/test/server';
import { choose, show } from '@/test/show';
import { RunForm } from './RunForm';

const SLOTS: Slot[] = [
  { slot: 'target', roles: ['target'] },
  { slot: 'clients', roles: ['generator'] },
];
const ALPHA = aHostRow();
const BETA = aHostRow({ id: 'host-2', name: 'beta', state: 'busy' });
const GONE = aHostRow({ id: 'host-3', name: 'gamma', state: 'offline' });
const ROUTE = 'POST /experiments/experiment-1/runs';
const POWER = 'POST /experiments/experiment-1/power';
const CALIBRATE = 'POST /experiments/experiment-1/calibrations';

function open(started: unknown = aRun(), hosts = [ALPHA, BETA, GONE]) {
  const nics = [
    { name: 'eth0', addresses: ['192.0.2.1', '192.0.2.7', 'fe80::1'], speed_mbps: null, mtu: 1500 },
    { name: 'lo', addresses: ['127.0.0.1'], speed_mbps: null, mtu: 65_536 },
  ];
  const server = serve({
    'GET /hosts': hosts,
    'GET /hosts/host-1': aHost({ inventory: anInventory({ nics }) }),
    'GET /hosts/host-2': aHost({ ...BETA }),
    [POWER]: aPlanPower(),
    [ROUTE]: started,
  });
  const [onStarted, onCancel] = [vi.fn(), vi.fn()];
  const { user } = show(
    <RunForm experimentId="experiment-1" slots={SLOTS} onStarted={onStarted} onCancel={onCancel} />,
  );
  return { server, user, onStarted, onCancel };
}

const start = () => screen.getByRole('button', { name: 'Start run' });
const hostOf = (label: string) => screen.getByRole('combobox', { name: label });
const ready = () => waitFor(() => expect(start()).toBeEnabled());

describe('RunForm', () => {
  it('puts everything on the first idle host, and starts by Enter', async () => {
    const { server, user, onStarted } = open();
    await ready();
    await waitFor(() => expect(hostOf('target')).toHaveDisplayValue(/^alpha/));
    expect(hostOf('clients (generator)')).toHaveDisplayValue(/^alpha/);
    await user.type(screen.getByLabelText('Seed'), '7');
    await user.type(screen.getByLabelText('Note'), ' after the upgrade {Enter}');
    await waitFor(() => expect(onStarted.mock.lastCall?.[0]).toEqual(aRun()));
    expect(server.bodies(ROUTE)).toEqual([
      {
        hosts: { target: 'host-1', clients: 'host-1' },
        addresses: {},
        note: 'after the upgrade',
        seed: 7,
      },
    ]);
  });

  it('draws the seed at random, and has no note, where none is given', async () => {
    const { server, user } = open();
    await ready();
    await user.click(start());
    await waitFor(() => expect(server.bodies(ROUTE)).toMatchObject([{ note: null, seed: null }]));
  });

  it('takes a host for each slot, and the address at which the target is reached', async () => {
    const { server, user } = open();
    await ready();
    await choose(user, 'clients (generator)', /^beta/);
    expect(screen.getByText('Busy: the run starts when the host is free.')).toBeInTheDocument();
    await screen.findByRole('combobox', { name: 'Address of target' });
    expect(screen.queryByRole('combobox', { name: 'Address of clients' })).not.toBeInTheDocument();
    await choose(user, 'Address of target', '192.0.2.7');
    await user.click(start());
    await waitFor(() =>
      expect(server.bodies(ROUTE)).toMatchObject([
        { hosts: { target: 'host-1', clients: 'host-2' }, addresses: { target: '192.0.2.7' } },
      ]),
    );
  });

  it('offers only addresses at which other hosts may reach the target', async () => {
    const { user } = open();
    await ready();
    await choose(user, 'clients (generator)', /^beta/);
    await user.click(await screen.findByRole('combobox', { name: 'Address of target' }));
    const offered = (await screen.findAllByRole('option')).map((option) => option.textContent);
    expect(offered).toEqual(['192.0.2.1', '192.0.2.7']);
  });

  it('brings everything back to one host by one press, without addresses', async () => {
    const { server, user } = open();
    await ready();
    await choose(user, 'clients (generator)', /^beta/);
    await screen.findByRole('combobox', { name: 'Address of target' });
    await choose(user, 'Address of target', '192.0.2.7');
    const [, onBeta] = await screen.findAllByRole('button', { name: 'Everything on this host' });
    await user.click(onBeta as HTMLElement);
    await user.click(start());
    const hosts = { target: 'host-2', clients: 'host-2' };
    await waitFor(() =>
      expect(server.bodies(ROUTE)).toEqual([{ hosts, addresses: {}, note: null, seed: null }]),
    );
  });

  it('does not let a host be chosen that is away', async () => {
    const { user } = open();
    await ready();
    await user.click(hostOf('target'));
    await user.click(await screen.findByRole('option', { name: /^gamma .* offline$/ }));
    expect(hostOf('target')).toHaveDisplayValue(/^alpha/);
  });

  it('shows each refusal at its field', async () => {
    const errors = [
      { field: 'hosts.clients', message: 'alpha has no wrk.' },
      { field: 'note', message: 'At most 500 characters.' },
    ];
    const { user, onStarted } = open(problem(422, 'The run was refused.', 'invalid', errors));
    await ready();
    await user.click(start());
    await screen.findByText('alpha has no wrk.');
    expect(hostOf('clients (generator)')).toHaveAccessibleDescription(/alpha has no wrk\./);
    expect(hostOf('target')).not.toHaveAccessibleDescription(/alpha has no wrk\./);
    expect(screen.getByLabelText('Note')).toHaveAccessibleDescription('At most 500 characters.');
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
    expect(onStarted).not.toHaveBeenCalled();
    await choose(user, 'clients (generator)', /^beta/);
    await waitFor(() => expect(screen.queryByText('alpha has no wrk.')).not.toBeInTheDocument());
  });

  it('shows what belongs to no field above the buttons', async () => {
    const { user } = open(problem(409, 'The experiment is archived.'));
    await ready();
    await user.click(start());
    expect(await screen.findByRole('alert')).toHaveTextContent('The experiment is archived.');
  });

  it('says that nobody knows what the plan finds, and calibrates the hosts instead', async () => {
    const { server, user, onStarted } = open();
    server.answer(CALIBRATE, aRun({ id: 'run-aa' }));
    expect(await screen.findByText(/can find is unknown: calibrate this host/)).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Calibrate instead' }));
    await waitFor(() => expect(onStarted.mock.lastCall?.[0]).toEqual(aRun({ id: 'run-aa' })));
    const hosts = { target: 'host-1', clients: 'host-1' };
    expect(server.bodies(CALIBRATE)).toEqual([{ hosts, addresses: {} }]);
    expect(server.bodies(ROUTE)).toEqual([]);
  });

  it('says what the plan finds, and how many blocks find a wanted effect', async () => {
    const { server, user } = open();
    const found = '5 blocks on alpha show differences of 7 % or more in requests/s, with 80 % power.';
    server.answer(POWER, ({ body }: Sent) => {
      const { effect_percent } = body as PowerRequest;
      const text = effect_percent
        ? `${found} For ${effect_percent} % in requests/s: 9 blocks, 4 min.`
        : found;
      return aPlanPower({ source: 'calibration', unknown: null, text });
    });
    expect(await screen.findByText(found)).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Calibrate instead' })).not.toBeInTheDocument();
    await user.type(screen.getByLabelText('Effect to find, in percent'), '5');
    expect(await screen.findByText(/For 5 % in requests\/s: 9 blocks, 4 min\./)).toBeInTheDocument();
  });

  it('cannot start without a host, and says where to add one', async () => {
    const { user, onCancel } = open(aRun(), []);
    expect(await screen.findByText(/No host is registered yet\./)).toBeInTheDocument();
    expect(start()).toBeDisabled();
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(onCancel).toHaveBeenCalled();
  });
});
