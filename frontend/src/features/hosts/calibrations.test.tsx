import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { CalibrationOut, Role } from '@/api/generated';
import { aHost, aRun } from '@/test/fixtures';
import { serve } from '@/test/server';
import { show } from '@/test/show';
import HostPage from './HostPage';

const open = (role: Role) => show(<HostPage />, { path: '/hosts/:hostId', at: '/hosts/host-1', role });

describe('Calibrations of a host', () => {
  const CALIBRATION: CalibrationOut = {
    id: 'calibration-1',
    run_id: 'run-1',
    experiment_id: 'experiment-aa',
    experiment_name: 'A/A: reuseport',
    template_key: 'reuseport',
    taken_at: '2026-01-02T03:04:05Z',
    measure_s: 30,
    hosts: ['alpha'],
    host_of_slot: { target: 'host-1' },
    stale: 'the kernel changed from 6.1.0 to 6.1.2 on alpha',
    noise: [
      {
        metric: 'requests_per_s',
        title: 'Requests per second',
        unit: 'requests/s',
        scale: 'ratio',
        deviation: 0.02,
        degrees: 4,
        half_width: 0.031,
        blocks: 5,
        differ: false,
      },
    ],
  };

  it('says what it showed and why it is stale, and runs it again', async () => {
    const server = serve({
      'GET /hosts/host-1': aHost(),
      'GET /hosts/host-1/calibrations': [CALIBRATION],
      'POST /experiments/experiment-aa/runs': aRun(),
    });
    const { user } = open('experimenter');
    expect(await screen.findByText('Requests per second ±3.1 %')).toBeInTheDocument();
    expect(screen.getByText('stale: the kernel changed from 6.1.0 to 6.1.2 on alpha')).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Calibrate again' }));
    await waitFor(() =>
      expect(server.bodies('POST /experiments/experiment-aa/runs')).toEqual([
        { hosts: { target: 'host-1' } },
      ]),
    );
  });

  it('leads to the experiment once its run was deleted', async () => {
    serve({
      'GET /hosts/host-1': aHost(),
      'GET /hosts/host-1/calibrations': [{ ...CALIBRATION, run_id: null }],
    });
    open('viewer');
    const link = await screen.findByRole('link', { name: 'A/A: reuseport' });
    expect(link).toHaveAttribute('href', '/experiments/experiment-aa');
    expect(link.parentElement).toHaveTextContent('(its run was deleted)');
  });
});
