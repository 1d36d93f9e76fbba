import { t } from '@lingui/core/macro';
import type { ArmAnalysis, RunAnalysis } from '@/api/generated';
import { armColor } from '@/components/charts/palette';
import { type EffectRow, EffectsPlot } from '@/components/charts/plots/EffectsPlot';
import { ArmMark } from '@/components/experiments/ArmMark';
import { directions } from '@/domain/directions';
import { formatAmong } from '@/lib/format';
import { said } from '@/lib/language/serverText';
import { type Column, type Compared, columnOf } from './columns';
import classes from './MainChart.module.css';

const SURE: ReadonlySet<string> = new Set(['better', 'worse', 'higher', 'lower', 'equivalent']);

/** What each arm changes, with its interval. */
function effectsOf({ resultOf }: Column, arms: readonly ArmAnalysis[]): EffectRow[] {
  return arms.flatMap((arm, index) => {
    const found = resultOf(arm)?.comparison;
    if (!found) return [];
    const interval = found.ci_text ? said(found.ci_text) : t`no interval`;
    return {
      key: arm.key,
      color: armColor(index),
      label: <ArmMark index={index} label={arm.label} />,
      text: (
        <>
          {found.text}
          <span className="visually-hidden">{t`, interval ${interval}`}</span>
        </>
      ),
      estimate: found.estimate,
      low: found.ci_low,
      high: found.ci_high,
      isOpen: !SURE.has(found.verdict),
    };
  });
}

/** What each arm measured, trial by trial, where there is nothing to compare it with. */
function valuesOf({ resultOf, info }: Column, arms: readonly ArmAnalysis[]): EffectRow[] {
  const means = arms.map((arm) => resultOf(arm)?.mean);
  return arms.flatMap((arm, index) => {
    const found = resultOf(arm);
    if (found?.mean == null) return [];
    const values = found.values.map(({ value }) => value);
    const ends = [Math.min(...values), Math.max(...values)];
    const [least = '', most = ''] = ends.map((value) => formatAmong(value, means, info?.unit ?? ''));
    return {
      key: arm.key,
      color: armColor(index),
      label: <ArmMark index={index} label={arm.label} />,
      text: (
        <>
          {formatAmong(found.mean, means, info?.unit ?? '')}
          <span className="visually-hidden">{t`, trials ${least} to ${most}`}</span>
        </>
      ),
      estimate: found.mean,
      low: Math.min(...values),
      high: Math.max(...values),
      values,
    };
  });
}

function Plot({ column, arms }: { column: Column; arms: readonly ArmAnalysis[] }) {
  const compared = arms.flatMap((arm) => column.resultOf(arm)?.comparison ?? []);
  const first = compared[0];
  const rows = first ? effectsOf(column, arms) : valuesOf(column, arms);
  if (rows.length === 0) return null;
  return (
    <EffectsPlot
      title={column.title}
      note={directions()[column.info?.direction ?? 'neutral']}
      rows={rows}
      scale={first?.scale ?? 'value'}
      margin={first?.margin ?? 0}
      unit={column.info?.unit ?? ''}
    />
  );
}

/** The primary metrics at a glance: what each arm changes against the baseline, or what was measured without one. */
export function MainChart({
  analysis,
}: {
  analysis: Compared & Partial<Pick<RunAnalysis, 'primary' | 'margin'>>;
}) {
  const { arms, answers = [], primary = [] } = analysis;
  const asked = answers.length > 0 ? answers : primary.map((metric) => ({ metric }));
  const columns = asked.map((one) => columnOf(analysis, one));
  const compared = columns.flatMap(({ resultOf }) => arms.flatMap((arm) => resultOf(arm)?.comparison ?? []));
  const base = arms.find((arm) => arm.is_baseline)?.label ?? '';
  return (
    <div className={classes.chart}>
      <div className={classes.plots}>
        {columns.map((column) => (
          <Plot key={column.key} column={column} arms={arms} />
        ))}
      </div>
      <p className={classes.key}>
        {compared.length > 0
          ? t`Change against ${base}, the vertical line. The bar is the interval, the grey band the margin; a hollow dot is not decided or not valid.`
          : t`The bar is the range of the trials.`}
      </p>
    </div>
  );
}
