import { t } from '@lingui/core/macro';
import type { TrendLine, TrendRun, Trends } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { Panel } from '@/components/ui/Panel';
import { RunLink } from './RunLink';
import classes from './trends.module.css';

interface NamedLine {
  metric: string;
  line: TrendLine;
}

function linesOf({ metrics }: Trends): NamedLine[] {
  return metrics.flatMap(({ name, lines }) => lines.map((line) => ({ metric: name, line })));
}

/** Why lines have none, once for those of the same reason; or that nothing was found. */
function nothingFound(lines: readonly NamedLine[]): string {
  const reasons = [...new Set(lines.flatMap(({ line }) => line.none_because ?? []))].join('; ');
  return reasons ? t`None is shown: ${reasons}.` : t`None was found.`;
}

function ChangePoints({ lines }: { lines: readonly NamedLine[] }) {
  const found = lines.flatMap(({ metric, line }) =>
    line.change_points.map((point) => ({ key: `${metric} ${line.arm} ${point.run}`, ...point })),
  );
  if (found.length === 0) return <p className={classes.none}>{nothingFound(lines)}</p>;
  return (
    <ul className={classes.statements}>
      {found
        .toSorted((one, other) => one.run - other.run)
        .map(({ key, text }) => (
          <li key={key}>
            <ServerText text={text} />
          </li>
        ))}
    </ul>
  );
}

/** Lines that are broken at a run, told once for each reason. */
function breaksOf(lines: readonly NamedLine[], run: number): string[] {
  const reasons = new Map<string, Set<string>>();
  for (const { line } of lines)
    for (const broken of line.breaks)
      if (broken.run === run)
        reasons.set(broken.reason, (reasons.get(broken.reason) ?? new Set()).add(line.label));
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
      texts: [...changes.map(({ text }) => text), ...breaksOf(lines, number)],
    }))
    .filter(({ texts }) => texts.length > 0);
  if (changed.length === 0)
    return <p className={classes.none}>{t`None of nginx, kernel, host and definition changed.`}</p>;
  return (
    <ul className={classes.statements}>
      {changed.map(({ id, number, texts }) => (
        <li key={id}>
          <RunLink id={id}>#{number}</RunLink>: <ServerText text={texts.join('; ')} />
        </li>
      ))}
    </ul>
  );
}

/** Where levels changed, and where what was run changed. */
export function ChangesPanel({ trends }: { trends: Trends }) {
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
