import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { ArmAnalysis, ArmMetric, Comparison } from '@/api/generated';
import { ArmMark } from '@/components/experiments/ArmMark';
import { ServerText } from '@/components/ui/language/ServerText';
import { Term } from '@/components/ui/Term';
import { formatAmong } from '@/lib/format';
import { english, type Said, said } from '@/lib/language/serverText';
import { type Column, type Compared, columnOf } from './columns';
import classes from './PrimaryMatrix.module.css';
import { VerdictBadge } from './VerdictBadge';

/** The title of a metric; its unit is explained where it is no everyday word. */
function MetricTitle({ title, unit }: { title: string; unit: string | undefined }) {
  if (unit !== 'CV') return title;
  const help = t`CV, coefficient of variation: the standard deviation divided by the mean. 0 is perfectly even.`;
  return <Term help={help}>{title}</Term>;
}

const whyNot = (result: ArmMetric | undefined) => english(result?.no_comparison_reason ?? '');

/** Why no arm is compared in any metric, where that is the same everywhere: it is said once. */
function commonReason(arms: readonly ArmAnalysis[], columns: readonly Column[]): Said | null {
  const results = arms
    .filter((arm) => !arm.is_baseline)
    .flatMap((arm) => columns.map(({ resultOf }) => resultOf(arm)));
  const reason = results[0]?.no_comparison_reason ?? null;
  const isCommon = results.every((result) => !result?.comparison && whyNot(result) === whyNot(results[0]));
  return results.length > 1 && isCommon ? reason : null;
}

function Interval({ comparison: { interval, ci_text: text, reason: why } }: { comparison: Comparison }) {
  const reason = why && said(why);
  if (text)
    return (
      <small>
        {said(text)}
        {interval !== '' && ` (${said(interval ?? '95 % CI')})`}
      </small>
    );
  const help = reason
    ? t`There is no interval: ${reason}.`
    : t`One pair of trials does not tell how much pairs scatter: an interval needs two or more.`;
  return (
    <small>
      <Term help={help}>{t`no interval`}</Term>
    </small>
  );
}

interface CellProps {
  arm: ArmAnalysis;
  column: Column;
  arms: readonly ArmAnalysis[];
  /** Whether above the table it is said why nothing is compared. */
  isExplained: boolean;
}

/** Value, change against the baseline with its interval, and verdict. */
function Cell({ arm, column: { title, info, resultOf }, arms, isExplained }: CellProps) {
  const result = resultOf(arm);
  const comparison = result?.comparison;
  const means = arms.map((one) => resultOf(one)?.mean);
  return (
    <td data-title={title}>
      <div className={classes.line}>
        <span className={classes.value}>{formatAmong(result?.mean, means, info?.unit ?? '')}</span>
        {comparison && (
          <>
            <b>{comparison.text}</b>
            <VerdictBadge comparison={comparison} />
          </>
        )}
        {!comparison && !arm.is_baseline && !isExplained && (
          <small>
            {result?.no_comparison_reason ? (
              <ServerText text={result.no_comparison_reason} />
            ) : (
              t`not measured`
            )}
          </small>
        )}
      </div>
      {comparison && (
        <div className={classes.line}>
          <Interval comparison={comparison} />
        </div>
      )}
    </td>
  );
}

interface RowProps extends Omit<CellProps, 'column'> {
  index: number;
  columns: readonly Column[];
}

function Row({ columns, index, ...of }: RowProps) {
  const { arm } = of;
  return (
    <tr>
      <th scope="row">
        <ArmMark index={index} label={arm.label} baseline={arm.is_baseline} />
      </th>
      {columns.map((column) => (
        <Cell key={column.key} column={column} {...of} />
      ))}
    </tr>
  );
}

function NoComparison({ reason }: { reason: Said }) {
  return (
    <p className={classes.reason}>
      <Trans>
        No arm is compared: <ServerText text={reason} />.
      </Trans>
    </p>
  );
}

/** All arms in all primary metrics. On a phone each arm is a card. */
export function PrimaryMatrix({ analysis }: { analysis: Compared }) {
  const { arms, answers = [] } = analysis;
  const columns = answers.map((answer) => columnOf(analysis, answer));
  const reason = commonReason(arms, columns);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: with many arms it scrolls, also by keyboard
    <section className={classes.scroll} tabIndex={0} aria-label={t`Arms by primary metric`}>
      {reason && <NoComparison reason={reason} />}
      <table className={classes.matrix}>
        <thead>
          <tr>
            <th scope="col">{t`Arm`}</th>
            {columns.map(({ key, title, info }) => (
              <th key={key} scope="col">
                <MetricTitle title={title} unit={info?.unit} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {arms.map((arm, index) => (
            <Row key={arm.key} {...{ arm, index, columns, arms }} isExplained={reason !== null} />
          ))}
        </tbody>
      </table>
    </section>
  );
}
