import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useMemo } from 'react';
import type { LineChart, Regression, Report } from '@/api/generated';
import { ChartFrame } from '@/components/charts/ChartFrame';
import { LevelLines } from '@/components/charts/lineCharts';
import { armColor, armDash, categoryColor } from '@/components/charts/palette';
import { ServerText } from '@/components/ui/language/ServerText';
import { Tag } from '@/components/ui/Tag';
import { armIndex } from '@/domain/trials';
import { formatInterval, formatValue } from '@/lib/format';
import { said } from '@/lib/language/serverText';
import classes from './FindingLines.module.css';

type Line = LineChart['lines'][number];

/** The colour of the arm that all points of a line belong to; of its place where they belong to several. */
function lookOf(line: Line, place: number, arms: Report['arms']) {
  const keys = new Set(line.points.map(({ arm }) => arm));
  const [only] = keys;
  if (keys.size === 1 && only) {
    const index = armIndex(arms, only);
    return { color: armColor(index), dash: armDash(index) };
  }
  return { color: categoryColor(place), dash: armDash(place) };
}

function Slope({ label, fit, chart }: { label: string | null; fit: Regression; chart: LineChart }) {
  const per = said(chart.x_unit || chart.x_title)
    .toLowerCase()
    .replace(/s$/, '');
  const slope = formatValue(fit.slope, chart.unit);
  const interval = formatInterval(fit.ci_low, fit.ci_high, chart.unit);
  const { points } = fit;
  return (
    <li>
      {label && `${label}: `}
      <Trans>
        <b>
          {slope} per {per}
        </b>{' '}
        (95 % CI {interval}, {points} trials)
      </Trans>
    </li>
  );
}

/** What there is to say about the lines: their slopes, and the values that matter. */
function Facts({ chart }: { chart: LineChart }) {
  const fitted = chart.lines.flatMap(({ label, regression }) =>
    regression ? [{ label, fit: regression }] : [],
  );
  return (
    <ul className={classes.slopes}>
      {fitted.map(({ label, fit }) => (
        <Slope key={label} label={fitted.length > 1 ? label : null} fit={fit} chart={chart} />
      ))}
      {(chart.marks ?? []).map(({ label, help, at, axis, simulated }) => (
        <li key={`${axis} ${at} ${label}`}>
          {said(label)}: <b>{formatValue(at, axis === 'x' ? chart.x_unit : chart.unit)}</b>
          {simulated && ` ${t`(simulated)`}`}
          {help && <>. {said(help)}</>}
        </li>
      ))}
    </ul>
  );
}

const linesOf = ({ lines }: LineChart, arms: Report['arms']) =>
  lines.map((line, place) => ({
    label: line.label,
    ...lookOf(line, place, arms),
    points: line.points.map(({ x, y, values = [] }) => ({ x, y, values })),
    regression: line.regression ?? null,
  }));

/** A quantity over a number: what was varied, a rank, … with its slope and the values that matter. */
export function FindingLines({ chart, arms }: { chart: LineChart; arms: Report['arms'] }) {
  const lines = useMemo(() => linesOf(chart, arms), [chart, arms]);
  const marks = useMemo(
    () =>
      (chart.marks ?? []).map(({ simulated = false, label, ...mark }) => ({
        ...mark,
        label: said(label),
        simulated,
      })),
    [chart.marks],
  );
  const isSimulated = marks.some(({ simulated }) => simulated);
  return (
    <ChartFrame
      id={`chart-${chart.key}`}
      title={said(chart.title)}
      unit={chart.y_title === chart.title ? '' : said(chart.y_title)}
      why={<ServerText text={chart.why} />}
      tag={isSimulated && <Tag>{t`simulated`}</Tag>}
    >
      <LevelLines
        lines={lines}
        marks={marks}
        xTitle={said(chart.x_title)}
        xUnit={said(chart.x_unit)}
        unit={chart.unit}
      />
      <Facts chart={chart} />
    </ChartFrame>
  );
}
