import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import type { Slot } from '@/domain/slots';
import { aHostRow, aRun } from '@/test/fixtures';
import { aNginx } from '@/test/nginx';
import { aPlanPower } from '@/test/planPower';
import { problem, serve } from '@/test/server';
import { choose, show } from '@/test/show';
import { RunForm } from './RunForm';

const SLOTS: Slot[] = [{ slot: 'target', roles: ['target'] }];
const ROUTE = 'POST /experiments/experiment-1/runs';
const POWER = 'POST /experiments/experiment-1/power';
const TWO = aHostRow({ nginx: [aNginx(), aNginx('3.2.0', '/opt/tengine', 'tengine')] });

function open(started: unknown, builds?: string[]) {
  const server = serve({ 'GET /hosts': [TWO], [POWER]: aPlanPower(), [ROUTE]: started });
  const { user } = show(
    <RunForm
      experimentId="experiment-1"
      slots={SLOTS}
      builds={builds}
      onStarted={vi.fn()}
      onCancel={vi.fn()}
    />,
  );
  return { server, user };
}

const start = () => screen.getByRole('button', { name: 'Start run' });
const nginxOf = (label: string) => screen.getByRole('combobox', { name: label });
const ready = () => waitFor(() => expect(start()).toBeEnabled());

describe('RunForm on a host with several nginx', () => {
  it('takes an nginx for a slot whose host has several', async () => {
    const { server, user } = open(aRun());
    await ready();
    await choose(user, 'nginx of target', /^tengine-3\.2\.0/);
    await user.click(start());
    await waitFor(() => expect(server.bodies(ROUTE)).toMatchObject([{ nginx: { target: '/opt/tengine' } }]));
    await waitFor(() =>
      expect(server.bodies(POWER).at(-1)).toMatchObject({ nginx: { target: '/opt/tengine' } }),
    );
  });

  it('binds each build to the nginx of its name, else to one that no other takes, and tells of a refusal', async () => {
    const errors = [{ field: 'nginx.old', message: 'alpha has no nginx called old.' }];
    const refusal = problem(422, 'The run was refused.', 'bad-hosts', errors);
    const { server, user } = open(refusal, ['tengine', 'old']);
    await ready();
    expect(nginxOf('Build tengine')).toHaveDisplayValue(/\/opt\/tengine$/);
    expect(nginxOf('Build old')).toHaveDisplayValue(/\/usr\/sbin\/nginx$/);
    expect(screen.queryByRole('combobox', { name: 'nginx of target' })).not.toBeInTheDocument();
    await user.click(start());
    await waitFor(() =>
      expect(server.bodies(ROUTE)).toMatchObject([
        { nginx: { tengine: '/opt/tengine', old: '/usr/sbin/nginx' } },
      ]),
    );
    expect(await screen.findByText('alpha has no nginx called old.')).toBeInTheDocument();
  });
});
