import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { ExperimentDetail, Role, VersionSummary } from '@/api/generated';
import { byExperiment } from '@/test/byExperiment';
import { aDefinition, aHostRow, anExperiment, aPage, aRun, aRunSummary } from '@/test/fixtures';
import { aPlanPower } from '@/test/planPower';
import { problem, type Sent, serve } from '@/test/server';
import { rowsOf, show } from '@/test/show';
import ExperimentPage from './ExperimentPage';

const HERE = '/experiments/experiment-1';
const version = (number: number): VersionSummary => ({
  id: `version-${number}`,
  number,
  created_at: '2026-01-02T03:04:05Z',
  created_by: 'me@example.org',
});

interface Options {
  more?: Record<string, unknown>;
  role?: Role;
}

function open(experiment: ExperimentDetail = anExperiment(), { more, role = 'experimenter' }: Options = {}) {
  const server = serve({
    [`GET ${HERE}`]: experiment,
    [`GET ${HERE}/versions`]: [version(1)],
    'GET /runs': aPage([aRunSummary()]),
    'GET /runs/by-experiment': byExperiment(aRunSummary()),
    'GET /hosts': [aHostRow()],
    'GET /schedules': [],
    [`POST ${HERE}/power`]: aPlanPower(),
    ...more,
  });
  return { server, ...show(<ExperimentPage />, { path: '/experiments/:experimentId', at: HERE, role }) };
}

async function menuItem({ user }: ReturnType<typeof open>, name: string) {
  await user.click(await screen.findByRole('button', { name: 'More actions' }));
  return screen.findByRole('menuitem', { name });
}

describe('ExperimentPage', () => {
  it('shows the question, the definition, and the runs', async () => {
    open(anExperiment({ definition: aDefinition({ thresholds: ['latency_p99_us < 5000'] }) }));
    expect(await screen.findByRole('heading', { name: 'Socket sharding' })).toBeInTheDocument();
    expect(document.title).toMatch(/^Socket sharding/);
    expect(screen.getByText(/^Does/)).toHaveTextContent('Does reuseport serve more requests?');
    expect(screen.getByText('latency_p99_us < 5000')).toBeInTheDocument();
    expect(
      await screen.findByRole('row', { name: /^1 .* me@example.org 1 Export version 1 as YAML$/ }),
    ).toBeInTheDocument();
    expect(await screen.findByRole('link', { name: '#1' })).toHaveAttribute('href', '/runs/run-1/report');
  });

  it('says what each arm runs, and how that differs from the baseline', async () => {
    const { user } = open();
    expect(
      await screen.findByText('Differences from accept_mutex on.', { exact: false }),
    ).toBeInTheDocument();
    await user.click(screen.getByRole('radio', { name: 'accept_mutex on (baseline)' }));
    expect(await screen.findByText('The complete configuration.', { exact: false })).toBeInTheDocument();
    expect(await screen.findByLabelText('nginx.conf of accept_mutex on')).toHaveTextContent(
      'worker_processes',
    );
  });

  it('leads to its trends once two runs are completed', async () => {
    open(anExperiment(), {
      more: { 'GET /runs': aPage([aRunSummary({ id: 'run-2', number: 2 }), aRunSummary()]) },
    });
    expect(await screen.findByRole('link', { name: 'Trends' })).toHaveAttribute('href', `${HERE}/trends`);
  });

  it('has no trends of one run', async () => {
    open();
    expect(await screen.findByRole('link', { name: '#1' })).toBeInTheDocument();
    expect(screen.queryByRole('link', { name: 'Trends' })).not.toBeInTheDocument();
  });

  it('says that it has not been run', async () => {
    open(anExperiment(), { more: { 'GET /runs': aPage([]), 'GET /runs/by-experiment': [] } });
    expect(await screen.findByText('Not run yet')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Run' })).toBeInTheDocument();
  });

  it('shows what changed between two versions', async () => {
    const { user } = open(anExperiment({ version: 3 }), {
      more: {
        [`GET ${HERE}/versions`]: [version(3), version(2), version(1)],
        [`GET ${HERE}/versions/2/diff/3`]: { before: 2, after: 3, changes: [], text: '' },
        [`GET ${HERE}/versions/1/diff/3`]: {
          before: 1,
          after: 3,
          changes: [],
          text: '-blocks: 2\n+blocks: 5',
        },
      },
    });
    expect(await screen.findByText('The versions are identical.')).toBeInTheDocument();
    await user.selectOptions(screen.getByLabelText('From version'), '1');
    expect(await screen.findByText('+blocks: 5')).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Export version 2 as YAML' })).toHaveAttribute(
      'href',
      `/api/v1${HERE}/versions/2.yaml`,
    );
  });

  it('says that there is no such experiment', async () => {
    open(anExperiment(), { more: { [`GET ${HERE}`]: problem(404, 'There is no such experiment.') } });
    expect(await screen.findByRole('alert')).toHaveTextContent('There is no such experiment.');
  });
});

describe('What may be done with an experiment', () => {
  it('is run again in a dialog, which leads to the live page', async () => {
    const { user, server, address } = open(anExperiment(), { more: { [`POST ${HERE}/runs`]: aRun() } });
    await user.click(await screen.findByRole('button', { name: 'Run again' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Run again' }));
    await waitFor(() => expect(dialog.getByRole('button', { name: 'Start run' })).toBeEnabled());
    await user.click(dialog.getByRole('button', { name: 'Start run' }));
    await waitFor(() => expect(address()).toBe('/runs/run-1'));
    expect(server.bodies(`POST ${HERE}/runs`)).toMatchObject([
      { hosts: { target: 'host-1', generator: 'host-1' } },
    ]);
  });

  it('is renamed by Enter', async () => {
    let experiment = anExperiment();
    const rename = ({ body }: Sent) => {
      experiment = anExperiment(body as Pick<ExperimentDetail, 'name'>);
      return experiment;
    };
    const page = open(experiment, { more: { [`GET ${HERE}`]: () => experiment, [`PATCH ${HERE}`]: rename } });
    await page.user.click(await menuItem(page, 'Rename'));
    const name = await screen.findByRole('textbox', { name: 'Name' });
    await page.user.clear(name);
    expect(screen.getByRole('button', { name: 'Rename' })).toBeDisabled();
    await page.user.type(name, ' Sharding {Enter}');
    expect(await screen.findByRole('heading', { name: 'Sharding' })).toBeInTheDocument();
    expect(page.server.bodies(`PATCH ${HERE}`)).toEqual([{ name: 'Sharding' }]);
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  });

  it('is cloned under another name, which opens in the designer', async () => {
    const copy = anExperiment({ id: 'experiment-2' });
    const page = open(anExperiment(), { more: { [`POST ${HERE}/clone`]: copy } });
    await page.user.click(await menuItem(page, 'Clone'));
    expect(await screen.findByRole('textbox', { name: 'Name' })).toHaveValue('Socket sharding (copy)');
    await page.user.click(screen.getByRole('button', { name: 'Clone' }));
    await waitFor(() => expect(page.address()).toBe('/experiments/experiment-2/design'));
    expect(page.server.bodies(`POST ${HERE}/clone`)).toEqual([{ name: 'Socket sharding (copy)' }]);
  });

  it('is archived, and says why where it cannot be', async () => {
    const page = open(anExperiment(), { more: { [`PATCH ${HERE}`]: problem(409, 'A run goes on.') } });
    await page.user.click(await menuItem(page, 'Archive'));
    expect(await screen.findByText('A run goes on.')).toBeInTheDocument();
    expect(page.server.bodies(`PATCH ${HERE}`)).toEqual([{ archived: true }]);
  });

  it('is deleted, with its links once that is confirmed', async () => {
    const shared = problem(409, 'Links show something of it.', 'experiment-shared');
    const answer = ({ query }: Sent) => (query.end_links === 'true' ? null : shared());
    const page = open(anExperiment(), { more: { [`DELETE ${HERE}`]: answer } });
    await page.user.click(await menuItem(page, 'Delete'));
    await page.user.click(await screen.findByRole('button', { name: 'Delete the experiment' }));
    expect(await screen.findByText('Links show something of it.')).toBeInTheDocument();
    await page.user.click(screen.getByRole('button', { name: 'Delete it with its links' }));
    await waitFor(() => expect(page.address()).toBe('/experiments'));
    expect(page.server.to(`DELETE ${HERE}`)).toHaveLength(2);
  });

  it('leaves to others only what they may do', async () => {
    const page = open(anExperiment({ may_edit: false }));
    const rename = await menuItem(page, 'Rename');
    expect(rename).toBeDisabled();
    expect(screen.getByRole('menuitem', { name: 'New with these values' })).toHaveAttribute(
      'href',
      '/experiments/new/reuseport?from=experiment-1',
    );
    expect(screen.queryByRole('link', { name: 'Edit' })).not.toBeInTheDocument();
  });

  it('is nothing for a viewer', async () => {
    open(anExperiment(), { role: 'viewer' });
    const run = await screen.findByRole('link', { name: '#1' });
    expect(rowsOf(run.closest('table') as HTMLElement)).toHaveLength(1);
    expect(screen.queryByRole('button', { name: 'Run again' })).not.toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'More actions' })).not.toBeInTheDocument();
  });
});
