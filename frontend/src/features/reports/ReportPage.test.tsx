import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { getRunQueryKey, type Report, type Role } from '@/api/generated';
import { english } from '@/lib/language/serverText';
import { plain } from '@/test/plain';
import { problem, serve } from '@/test/server';
import { rowsOf, show } from '@/test/show';
import ReportPage from './ReportPage';
import { aReport, reportRoutes } from './report.testdata';

function open(report: Report = aReport(), role: Role = 'experimenter') {
  const server = serve(reportRoutes(report));
  return { server, ...show(<ReportPage />, { path: '/runs/:runId/report', at: '/runs/run-1/report', role }) };
}

const verdict = async () => within(await screen.findByRole('region', { name: 'Verdict' }));
const panel = (heading: string | RegExp) =>
  within(screen.getByRole('heading', { name: heading }).closest('section') as HTMLElement);

describe('ReportPage', () => {
  it('names the run, its question and where it ran', async () => {
    open();
    expect(await screen.findByRole('heading', { name: 'Socket sharding #1' })).toBeInTheDocument();
    expect(document.title).toMatch(/^Report: Socket sharding #1/);
    expect(screen.getByText(/^Does/)).toHaveTextContent(aReport().run.question.replaceAll('`', ''));
    expect(screen.getByText(/^on vm \(/)).toBeInTheDocument();
    expect(screen.getByText('3 blocks')).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Run page' })).toHaveAttribute('href', '/runs/run-1');
  });

  it('says that its run was deleted under its reader, and offers nothing that takes the run', async () => {
    const { server, queryClient } = open();
    expect(await screen.findByRole('button', { name: 'Share' })).toBeInTheDocument();
    server.answer('GET /runs/run-1', problem(404, 'There is no such run.', 'not-found'));
    await queryClient.invalidateQueries({ queryKey: getRunQueryKey({ path: { run_id: 'run-1' } }) });
    expect(await screen.findByText('This run was deleted')).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Share' })).toBeNull();
    expect(screen.getByRole('region', { name: 'Verdict' })).toBeInTheDocument();
  });

  it('begins with an answer to each question, what qualifies them, and all arms', async () => {
    open();
    const region = await verdict();
    const answers = within(region.getByRole('list', { name: 'Answers' }));
    expect(answers.getAllByRole('listitem').map((row) => plain(row.textContent))).toEqual([
      'CPU spread more evenly over workers?Yes: 1.73 → 0.10',
      'More requests/s?Not decided: -67 % to +81 %',
    ]);
    expect(region.getByText(english(aReport().analysis.qualification))).toBeInTheDocument();
    const [baseline, arm] = rowsOf(
      within(region.getByRole('table')).getAllByRole('rowgroup')[1] as HTMLElement,
    );
    expect(baseline).toMatch(/^accept_mutex on/);
    expect(arm).toMatch(/better.*undecided/);
  });

  it('unfolds all sentences, and the conclusion', async () => {
    const { user } = open();
    const region = await verdict();
    const toggle = region.getByRole('button', { name: 'In words' });
    expect(toggle).toHaveAttribute('aria-expanded', 'false');
    await user.click(toggle);
    expect(toggle).toHaveAttribute('aria-expanded', 'true');
    const { statements } = aReport().analysis;
    for (const { text } of statements)
      expect(
        region.getByText(
          (_, node) =>
            node?.getAttribute('lang') === 'en' &&
            plain(node.textContent) === english(text).replaceAll('`', ''),
        ),
      ).toBeInTheDocument();
    for (const sentence of aReport().findings?.conclusion ?? ['?'])
      expect(
        region.getByText(
          (_, node) =>
            node?.getAttribute('lang') === 'en' &&
            plain(node.textContent) === english(sentence).replaceAll('`', ''),
        ),
      ).toBeInTheDocument();
    expect(region.getByText('3 of 3 blocks complete')).toBeInTheDocument();
  });

  it('says whether longer trials or more blocks would decide', async () => {
    const report = aReport();
    report.analysis.more_or_longer = ['Longer trials would not help: add blocks.'];
    open(report);
    expect((await verdict()).getByText('Longer trials would not help: add blocks.')).toBeInTheDocument();
  });

  it('explains what a badge means to the keyboard, too', async () => {
    const { user } = open();
    const badge = (await verdict()).getByText('Preview');
    const [, preview] = aReport().badges;
    (await verdict()).getByText(aReport().badges[0]?.label ?? '?').focus();
    await user.tab();
    expect(badge).toHaveFocus();
    expect(await screen.findByRole('tooltip')).toHaveTextContent(preview?.help ?? '?');
  });

  it('shows the figures of the article beside those of the run', async () => {
    open();
    await verdict();
    const [rate] = rowsOf(panel(/article's figures/).getByRole('table'));
    expect(rate).toMatch(/^Requests per second, against accept_mutex on.* \| accept_mutex on \| 1x \| 1x$/);
    expect(panel(/article's figures/).getByText('2x to 3x')).toBeInTheDocument();
  });

  it('records the environment and the plan', async () => {
    open();
    await screen.findByRole('heading', { name: 'Plan' }); // drawn once the verdict has been seen
    expect(panel('Environment: vm').getByText('6.1.0-50-amd64')).toBeInTheDocument();
    const { connections } = aReport().template?.parameters ?? {};
    const term = panel('Plan').getByText('connections', { selector: 'dt' });
    expect(term.nextSibling).toHaveTextContent(String(connections));
  });

  it.each([
    ['The run is running; this is what its trials show so far.', { state: 'running' }],
    ['nginx did not start.', { state: 'failed', state_reason: 'nginx did not start.' }],
    ['The run was cancelled', { state: 'cancelled', state_reason: 'Cancelled by me.' }],
  ] as const)('says that a run is not complete: %s', async (text, changes) => {
    open(aReport({ run: { ...aReport().run, ...changes } }));
    expect((await verdict()).getByText(text)).toBeInTheDocument();
  });

  it('warns of figures that cannot be relied on', async () => {
    open(
      aReport({
        analysis: {
          ...aReport().analysis,
          verdict: 'not_valid',
          not_valid: 'Not valid: the generator was saturated.',
        },
      }),
    );
    expect((await verdict()).getByText('Not valid')).toBeInTheDocument();
    expect((await verdict()).getByText('Not valid: the generator was saturated.')).toBeInTheDocument();
  });

  it('says that there is no report', async () => {
    const none = problem(404, 'There is no such run.');
    serve({ 'GET /runs/run-1': none, 'GET /runs/run-1/report': none });
    show(<ReportPage />, { path: '/runs/:runId/report', at: '/runs/run-1/report' });
    expect(await screen.findByRole('alert')).toHaveTextContent('There is no such run.');
  });
});

describe('Charts of a report', () => {
  const openAll = async (user: ReturnType<typeof open>['user']) =>
    user.click(await screen.findByRole('button', { name: 'Open all sections' }));
  const figure = (name: RegExp) => screen.findByRole('figure', { name });
  const curves = (node: HTMLElement) => node.querySelectorAll('path.recharts-curve').length;

  it('draw a line an arm over the time of a trial', async () => {
    const { server, user } = open();
    await openAll(user);
    const rate = await figure(/^Requests per second, requests\/s/);
    await waitFor(() => expect(curves(rate)).toBe(2));
    expect(rate).toHaveTextContent('accept_mutex on');
    expect(server.to('GET /trials/trial-2/series')).toHaveLength(1);
    expect(server.to('GET /trials/trial-2/series')[0]?.query).toEqual({ points: '600' });
  });

  it('answer the question of the template', async () => {
    open();
    expect(await figure(/^CPU by worker, the busiest first/)).toHaveTextContent(
      'If the workers share the work evenly',
    );
    expect(await figure(/^Imbalance of worker CPU/)).toHaveTextContent('1.73');
    const workers = await figure(/^CPU of each worker/);
    await waitFor(() => expect(within(workers).getAllByRole('figure')).toHaveLength(2));
  });

  it('say what is missing, and try again when asked', async () => {
    const server = serve({ ...reportRoutes(), 'GET /trials/trial-2/series': problem(500, 'Away.') });
    const { user } = show(<ReportPage />, { path: '/runs/:runId/report', at: '/runs/run-1/report' });
    await openAll(user);
    await waitFor(() => expect(screen.getAllByRole('alert')).toHaveLength(2));
    const [alert] = screen.getAllByRole('alert') as [HTMLElement, HTMLElement];
    expect(alert).toHaveTextContent('Away.');
    server.answer('GET /trials/trial-2/series', reportRoutes()['GET /trials/trial-2/series']);
    await user.click(within(alert).getByRole('button', { name: 'Try again' }));
    await waitFor(() => expect(screen.queryByRole('alert')).not.toBeInTheDocument());
  });
});
