import { i18n } from '@lingui/core';
import { screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SentenceParts } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import ReportPage from '@/features/reports/ReportPage';
import { aReport, reportRoutes } from '@/features/reports/report.testdata';
import { said } from '@/lib/language/serverText';
import { textId } from '@/lib/language/textId';
import { beginTexts, changeLanguage, loadTexts } from '@/lib/language/texts';
import { ApiProblem } from '@/lib/problem';
import { plain } from '@/test/plain';
import { serve } from '@/test/server';
import { show } from '@/test/show';
import { textsOnServer } from './texts';

const composed = (template: string, values: SentenceParts['values']): SentenceParts => ({
  text: '…',
  template,
  values,
});

describe('What the server says, in Chinese', () => {
  beforeEach(async () => {
    localStorage.setItem('ngxlab.language', 'zh-Hans');
    await beginTexts(textsOnServer, 'app', 'shared', 'server/results', 'reports');
  });
  afterEach(() => {
    localStorage.clear();
    i18n.activate('en');
  });

  it('is translated where its words are fixed, and marked as English where it is composed', () => {
    show(
      <>
        <ServerText text="The generator was saturated" />
        <ServerText text="stream `wrk`: 31 of 40 threads" />
      </>,
    );
    expect(screen.getByText('负载生成器已饱和')).not.toHaveAttribute('lang');
    expect(screen.getByText('wrk').closest('[lang]')).toHaveAttribute('lang', 'en');
    expect(said('Requests per second')).toBe('每秒请求数');
    expect(said('a text of nobody')).toBe('a text of nobody');
  });

  it('tells of a problem in its reader’s language, or marks it as English', async () => {
    await loadTexts('server/problems');
    const draining = new ApiProblem({
      status: 409,
      title: 'Conflict',
      detail: 'web-1 is draining and accepts no new run.',
      said: composed('{host} is draining and accepts no new run.', { host: 'web-1' }),
      code: 'host-draining',
    });
    const { unmount } = show(<ProblemNotice error={draining} />);
    expect(screen.getByText('web-1 正在停用，不接受新的运行。')).not.toHaveAttribute('lang');
    expect(screen.getByText('与当前状态冲突')).toBeInTheDocument();
    unmount();
    show(<ProblemNotice error={new ApiProblem({ status: 409, detail: 'Said by nobody.' })} />);
    expect(screen.getByText('Said by nobody.')).toHaveAttribute('lang', 'en');
    const wrong = new ApiProblem({
      status: 422,
      errors: [
        {
          field: 'hosts.target',
          message: 'choose a host for target',
          said: composed('choose a host for {slot}', { slot: 'target' }),
        },
      ],
    });
    expect(wrong.fields[0]?.message).toBe('请为 target 选择主机');
  });

  it('is what it said in English as soon as that is chosen, and its forms are there when they are needed', async () => {
    expect(said('Compact')).toBe('Compact');
    await loadTexts('server/forms');
    expect(said('Compact')).toBe('精简');
    await changeLanguage('en');
    expect(said('Compact')).toBe('Compact');
    expect(said('Requests per second')).toBe('Requests per second');
  });

  it('words the verdict of a report in Chinese, also of one that was stored before a sentence was reworded', async () => {
    const report = aReport();
    const statement = report.analysis.statements[0];
    const compared = composed('{metric} with `{arm}` against `{other}`', {
      metric: composed('p99', {}),
      arm: 'a',
      other: 'b',
    });
    const reason = composed('the values are identical', {});
    if (statement) statement.text = composed('Not valid: {compared}: {reason}.', { compared, reason });
    const earlier = 'The margin is {percent}: {why}, as it was said once.';
    i18n.load('zh-Hans', { [textId(earlier)]: '判定界限为 {percent}：{why}。' });
    report.analysis.margin_note = composed(earlier, {
      percent: '2 %',
      why: composed('the host is not calibrated', {}),
    });
    const arm = report.analysis.arms[0];
    const evidence = composed('the values are identical', {});
    if (arm) arm.bottleneck = { resource: null, resources: [], trials: 1, of_trials: 1, evidence };
    serve(reportRoutes(report));
    const { user } = show(<ReportPage />, { path: '/runs/:runId/report', at: '/runs/run-1/report' });
    await user.click(await screen.findByRole('button', { name: '文字说明' }));
    await user.click(screen.getByRole('button', { name: '展开所有部分' }));
    expect(screen.getByText('判定界限为 2 %：主机未校准。')).not.toHaveAttribute('lang');
    expect(screen.getByText(/的 p99：数值完全相同。$/)).toHaveTextContent(
      '无效：a 对比 b 的 p99：数值完全相同。',
    );
    expect(screen.getByRole('cell', { name: '数值完全相同' })).toBeVisible();
    expect(document.body).not.toHaveTextContent('[object Object]');
  });

  it('makes a report speak Chinese: metrics, checks, charts and the question', async () => {
    const report = aReport();
    const check = report.analysis.checks.results.find(({ severity }) => severity === 'warning');
    if (check)
      check.message = composed('in {count} of {trials} trials: {message}', {
        count: { text: '9', number: 9, unit: '' },
        trials: { text: '9', number: 9, unit: '' },
        message: composed('no response in a third of the window', {}),
      });
    serve(reportRoutes(report));
    show(<ReportPage />, { path: '/runs/:runId/report', at: '/runs/run-1/report' });
    const verdict = within(await screen.findByRole('region', { name: '结论' }));
    const answers = within(verdict.getByRole('list', { name: '答案' }));
    expect(answers.getAllByRole('listitem').map((row) => row.textContent?.replaceAll('\u00a0', ' '))).toEqual(
      ['CPU 在各 worker 间更均匀？是：1.73 → 0.10', '每秒请求数更多？未定：-67 % 至 +81 %'],
    );
    expect(answers.getAllByRole('listitem')[0]).not.toHaveAttribute('lang');
    expect(
      verdict.getByText(/^仅为预览：3 个完整区组。有效性：\d+ 项检查中 \d+ 项通过；警告：/),
    ).toBeInTheDocument();
    expect(verdict.getByRole('columnheader', { name: 'worker CPU 的不均衡度（CV）' })).toBeInTheDocument();
    expect(await screen.findByText('负载生成器和 nginx 各有自己的核')).toBeInTheDocument();
    expect(screen.getByText(/是否让连接更均匀地分布到各 worker/)).toBeInTheDocument();
    expect(screen.getByRole('figure', { name: /^各 worker 的 CPU，最忙的在前/ })).toBeInTheDocument();
    const message = said(check?.message ?? '?');
    expect(message).toMatch(/\p{Script=Han}/u);
    expect(screen.getByText((_, node) => plain(node?.textContent) === message)).not.toHaveAttribute('lang');
  });
});
