import { plural, t } from '@lingui/core/macro';
import { Alert, Stack } from '@mantine/core';
import { IconArrowsDiff, IconEqual, IconQuestionMark } from '@tabler/icons-react';
import { useState } from 'react';
import type { LatestRun, LeftOutRun, TrendLine, TrendRun, Trends } from '@/api/generated';
import { EmptyState } from '@/components/ui/EmptyState';
import { ServerText, ServerTexts } from '@/components/ui/language/ServerText';
import { Panel } from '@/components/ui/Panel';
import { Prose } from '@/components/ui/Prose';
import { RelativeTime } from '@/components/ui/Time';
import { english, named, type Said, said } from '@/lib/language/serverText';
import { MetricFigure } from './MetricFigure';
import { RunLink } from './RunLink';
import { RunPanel } from './RunPanel';
import classes from './trends.module.css';

/** Finished runs that are not drawn, and why. */
function LeftOutPanel({ runs }: { runs: readonly LeftOutRun[] }) {
  if (runs.length === 0) return null;
  return (
    <Panel title={t`Not drawn`} note={t`Finished runs without valid results, or without means yet.`}>
      <ul className={classes.statements}>
        {runs.map(({ id, number, at, reason }) => (
          <li key={id}>
            <RunLink id={id}>#{number}</RunLink> (<RelativeTime iso={at} />
            ): <ServerText text={reason} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const SIGNS = { yes: IconArrowsDiff, no: IconEqual, open: IconQuestionMark };
const CHANGED = new Set(['better', 'worse', 'higher', 'lower']);

/** Whether the latest run differs from those before it: what differs, and behind a click all the rest. */
function LatestPanel({ latest: { run, sign, word, statements } }: { latest: LatestRun }) {
  const Sign = SIGNS[sign];
  const changed = statements.filter(({ verdict }) => verdict && CHANGED.has(verdict));
  const rest = statements.slice(changed.length);
  const others = rest.length;
  return (
    <Panel title={t`Is run #${run} different from those before?`}>
      <p className={classes.answer} data-sign={sign}>
        <Sign size={18} stroke={2.2} aria-hidden />
        <b>
          <ServerText text={word} />
        </b>
      </p>
      <ServerTexts className={classes.statements} texts={changed.map(({ text }) => text)} />
      {rest.length > 0 && (
        <details className={classes.rest}>
          <summary>
            {changed.length > 0 ? t`The other ${others} in words` : t`All ${others} in words`}
          </summary>
          <ServerTexts className={classes.statements} texts={rest.map(({ text }) => text)} />
        </details>
      )}
    </Panel>
  );
}

interface NamedLine {
  metric: string;
  line: TrendLine;
}

function linesOf({ metrics }: Trends): NamedLine[] {
  return metrics.flatMap(({ name, lines }) => lines.map((line) => ({ metric: name, line })));
}

/** Why lines have none, once for those of the same reason; or that nothing was found. */
function nothingFound(lines: readonly NamedLine[]): string {
  const reasons = [
    ...new Set(lines.flatMap(({ line }) => (line.none_because ? said(line.none_because) : []))),
  ].join('; ');
  return reasons ? t`None is shown: ${reasons}.` : t`None was found.`;
}

function ChangePoints({ lines }: { lines: readonly NamedLine[] }) {
  const found = lines.flatMap(({ line }) => line.change_points).toSorted((one, other) => one.run - other.run);
  if (found.length === 0) return <p className={classes.none}>{nothingFound(lines)}</p>;
  return <ServerTexts className={classes.statements} texts={found.map(({ text }) => text)} />;
}

/** Lines that are broken at a run, told once for each reason. */
function breaksOf(lines: readonly NamedLine[], run: number): string[] {
  const reasons = new Map<string, Set<string>>();
  for (const { line } of lines)
    for (const broken of line.breaks)
      if (broken.run === run)
        reasons.set(
          said(broken.reason),
          (reasons.get(said(broken.reason)) ?? new Set()).add(named(line.label)),
        );
  return [...reasons].map(([reason, labels]) => {
    const arms = [...labels].map((label) => `\`${label}\``).join(', ');
    return t`lines of ${arms} are broken: ${reason}`;
  });
}

function SetupChanges({ runs, lines }: { runs: readonly TrendRun[]; lines: readonly NamedLine[] }) {
  const changed = runs
    .map(({ id, number, changes }) => ({
      id,
      number,
      texts: [...changes.map(({ text }): Said => text), ...breaksOf(lines, number)],
    }))
    .filter(({ texts }) => texts.length > 0);
  if (changed.length === 0)
    return <p className={classes.none}>{t`None of nginx, kernel, host and definition changed.`}</p>;
  return (
    <ul className={classes.statements}>
      {changed.map(({ id, number, texts }) => (
        <li key={id}>
          <RunLink id={id}>#{number}</RunLink>
          {texts.map((text, index) => (
            <span key={english(text)}>
              {index ? '; ' : ': '}
              {typeof text === 'string' ? <Prose text={text} /> : <ServerText text={text} />}
            </span>
          ))}
        </li>
      ))}
    </ul>
  );
}

/** Where levels changed, and where what was run changed. */
function ChangesPanel({ trends }: { trends: Trends }) {
  const lines = linesOf(trends);
  return (
    <Panel title={t`Changes`}>
      <h3 className={classes.subtitle}>{t`Change points`}</h3>
      <ChangePoints lines={lines} />
      <h3 className={classes.subtitle}>{t`Set-up`}</h3>
      <SetupChanges runs={trends.runs} lines={lines} />
    </Panel>
  );
}

function Charts({ trends }: { trends: Trends }) {
  const [number, choose] = useState<number | null>(null);
  const chosen = trends.runs.find((run) => run.number === number) ?? trends.runs.at(-1);
  if (!chosen) return null;
  return (
    <>
      <RunPanel trends={trends} run={chosen} onChoose={choose} />
      {trends.runs.length === 1 && (
        <EmptyState
          title={t`One run so far`}
        >{t`A trend begins with the second run of this experiment.`}</EmptyState>
      )}
      <div className={classes.charts}>
        {(trends.runs.length > 1 ? trends.metrics : []).map((metric) => (
          <MetricFigure
            key={metric.name}
            metric={metric}
            runs={trends.runs}
            chosen={chosen.number}
            onChoose={choose}
          />
        ))}
      </div>
    </>
  );
}

/** What is said below is of the runs that are drawn so far. */
function PendingNote({ trends: { left_out } }: { trends: Trends }) {
  const count = left_out.filter(({ is_pending }) => is_pending).length;
  if (count === 0) return null;
  return (
    <Alert
      role="status"
      color="gray"
      title={plural(count, {
        one: 'Means of # older run are being computed',
        other: 'Means of # older runs are being computed',
      })}
    >
      {t`An older ngxlab did not keep them. They appear here one after the other; what is said below may change.`}
    </Alert>
  );
}

function Content({ trends }: { trends: Trends }) {
  if (trends.runs.length === 0)
    return (
      <>
        <Panel>
          <EmptyState title={t`No run to draw yet`}>
            {t`Trends show the completed runs of an experiment whose results are valid.`}
          </EmptyState>
        </Panel>
        <LeftOutPanel runs={trends.left_out} />
      </>
    );
  return (
    <>
      {trends.latest && <LatestPanel latest={trends.latest} />}
      <Charts trends={trends} />
      <ChangesPanel trends={trends} />
      <LeftOutPanel runs={trends.left_out} />
      <ServerTexts className={classes.notes} texts={trends.notes} />
    </>
  );
}

/** The latest run against those before, each metric over the runs, and what changed between them. */
export function TrendsView({ trends }: { trends: Trends }) {
  return (
    <Stack gap="md">
      <PendingNote trends={trends} />
      <Content trends={trends} />
    </Stack>
  );
}

/** "9 runs", or how many of the finished ones are looked at. */
export function counted({ runs, left_out, finished }: Trends): string {
  const looked = runs.length + left_out.length;
  const drawn = plural(runs.length, { one: '# run', other: '# runs' });
  return finished > looked ? t`${drawn} of the latest ${looked}; ${finished} have ended in all` : drawn;
}
