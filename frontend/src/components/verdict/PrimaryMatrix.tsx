import { t } from '@lingui/core/macro';
import type { Answer, ArmAnalysis, ArmMetric, MetricInfo, RunAnalysis } from '@/api/generated';
import { armColor } from '@/components/charts/palette';
import { IntervalPlot } from '@/components/charts/plots/IntervalPlot';
import { ArmMark } from '@/components/experiments/ArmMark';
import { formatValue } from '@/lib/format';
import classes from './PrimaryMatrix.module.css';
import { VerdictBadge } from './VerdictBadge';

interface Column {
  key: string;
  title: string;
  info: MetricInfo | undefined;
  resultOf: (arm: ArmAnalysis) => ArmMetric | undefined;
}

/** Of one run, or of arms of several. */
type Compared = Pick<RunAnalysis, 'arms' | 'answers' | 'metrics'>;

function columnOf({ metrics }: Compared, { metric, stream }: Answer): Column {
  const info = metrics.find(({ key }) => key === metric);
  const of = (arm: ArmAnalysis) =>
    stream ? arm.streams?.find((one) => one.stream === stream)?.metrics : arm.metrics;
  const title = info?.title ?? metric;
  return {
    key: `${stream} ${metric}`,
    title: stream ? `${title} (${stream})` : title,
    info,
    resultOf: (arm) => of(arm)?.find((one) => one.metric === metric),
  };
}

interface CellProps {
  arm: ArmAnalysis;
  index: number;
  column: Column;
  arms: readonly ArmAnalysis[];
}

/** Value, change against the baseline with its interval, and verdict. */
function Cell({ arm, index, column: { title, info, resultOf }, arms }: CellProps) {
  const result = resultOf(arm);
  const comparison = result?.comparison;
  const peers = arms.flatMap((one) => resultOf(one)?.comparison ?? []);
  return (
    <td data-title={title}>
      <div className={classes.line}>
        <span className={classes.value}>{formatValue(result?.mean ?? null, info?.unit ?? '')}</span>
        {comparison && (
          <>
            <b>{comparison.text}</b>
            <VerdictBadge comparison={comparison} />
          </>
        )}
        {!comparison && !arm.is_baseline && <small>{result?.no_comparison_reason ?? t`not measured`}</small>}
      </div>
      {comparison && (
        <div className={classes.line}>
          <IntervalPlot
            interval={comparison}
            peers={peers}
            color={armColor(index)}
            label={`${title}: ${comparison.text}, ${comparison.interval} ${comparison.ci_text ?? t`unknown`}`}
            width={110}
          />
          <small title={comparison.interval}>{comparison.ci_text ?? t`no interval`}</small>
        </div>
      )}
    </td>
  );
}

/** All arms in all primary metrics. On a phone each arm is a card. */
export function PrimaryMatrix({ analysis }: { analysis: Compared }) {
  const { arms, answers = [] } = analysis;
  const columns = answers.map((answer) => columnOf(analysis, answer));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: with many arms it scrolls, also by keyboard
    <section className={classes.scroll} tabIndex={0} aria-label={t`Arms by primary metric`}>
      <table className={classes.matrix}>
        <thead>
          <tr>
            <th scope="col">{t`Arm`}</th>
            {columns.map(({ key, title }) => (
              <th key={key} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {arms.map((arm, index) => (
            <tr key={arm.key}>
              <th scope="row">
                <ArmMark index={index} label={arm.label} baseline={arm.is_baseline} />
              </th>
              {columns.map((column) => (
                <Cell key={column.key} arm={arm} index={index} column={column} arms={arms} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
