import { t } from '@lingui/core/macro';
import { Group, SegmentedControl } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { CurvePoint } from '@/api/generated';
import type { CurveDot, CurveLine } from '@/components/charts/curve/curve';
import type { LineLook } from '@/components/charts/LineLegend';
import { CurveChart } from '@/components/charts/lineCharts';
import { AxesControl } from './AxesControl';
import classes from './CurveView.module.css';

type Figure = 'throughput' | 'p50_us' | 'p90_us' | 'p99_us' | 'p999_us' | 'errors_percent';

/** One line: an arm's curve, or that of a trial that goes on. */
export interface Curved extends LineLook {
  points: readonly CurvePoint[];
  knee?: CurveLine['knee'];
  law?: CurveLine['law'];
}

const MS_US = 1000;
const LATENCIES = [
  ['p99_us', 'p99'],
  ['p50_us', 'p50'],
  ['p90_us', 'p90'],
  ['p999_us', 'p99.9'],
] as const;

/** What a chart needs of one figure; latencies in milliseconds. */
function dotsOf(points: readonly CurvePoint[], figure: Figure): CurveDot[] {
  const divisor = figure.endsWith('_us') ? MS_US : 1;
  return points.map((point) => {
    const found = point[figure];
    const scaled = (value: number | null | undefined) => (value == null ? null : value / divisor);
    const isBehind = point.trials > 0 && point.followed < point.trials;
    return {
      load: point.connections ?? point.per_s,
      value: scaled(found?.mean),
      low: scaled(found?.low),
      high: scaled(found?.high),
      note: noteOf(point, figure, isBehind),
    };
  });
}

function noteOf({ trials, late }: CurvePoint, figure: Figure, isBehind: boolean): string {
  if (trials === 0 || (figure.endsWith('_us') && late >= trials)) return t`the load generator was late`;
  return isBehind ? t`throughput did not follow` : '';
}

const hasAny = (curved: readonly Curved[], figure: Figure) =>
  curved.some(({ points }) => points.some((point) => point[figure] !== null));

/** Whether connections were counted in place of rates. */
export const isOfConnections = (points: readonly CurvePoint[]) =>
  points.some(({ connections }) => connections != null);

/** Throughput, and a percentile of latency or the errors, against the rate or the connections: side by side where there
 * is room. */
export function CurveView({ curved }: { curved: readonly Curved[] }) {
  const [isLogarithmic, setLogarithmic] = useState(false);
  const [chosen, choose] = useState<Figure>('p99_us');
  const offered = useMemo(
    () => [
      ...LATENCIES.filter(([key]) => hasAny(curved, key)).map(([value, label]) => ({ value, label })),
      { value: 'errors_percent' as const, label: t`Errors` },
    ],
    [curved],
  );
  const shown = offered.find(({ value }) => value === chosen) ?? offered[0];
  const linesOf = (figure: Figure): CurveLine[] =>
    curved.map(({ points, ...line }) => ({ ...line, points: dotsOf(points, figure) }));
  const unit = shown?.value === 'errors_percent' ? '%' : 'ms';
  const percentile = shown?.label ?? '';
  const isClosed = isOfConnections(curved.flatMap(({ points }) => points));
  const loadUnit = isClosed ? 'connections' : 'requests/s';
  return (
    <>
      <Group gap="xs" mb={6} className="no-print">
        <SegmentedControl
          size="xs"
          aria-label={t`Beside throughput`}
          data={offered}
          value={shown?.value ?? 'errors_percent'}
          onChange={(value) => choose(value as Figure)}
        />
        <AxesControl isLogarithmic={isLogarithmic} onChange={setLogarithmic} />
      </Group>
      <div className={classes.pair}>
        <CurveChart
          lines={linesOf('throughput')}
          name={isClosed ? t`Throughput against the connections` : t`Throughput against the rate`}
          unit="requests/s"
          loadUnit={loadUnit}
          isThroughput
          isLogarithmic={isLogarithmic}
        />
        {shown && (
          <CurveChart
            lines={linesOf(shown.value)}
            name={isClosed ? t`${percentile} against the connections` : t`${percentile} against the rate`}
            unit={unit}
            loadUnit={loadUnit}
            isThroughput={false}
            isLogarithmic={isLogarithmic}
          />
        )}
      </div>
    </>
  );
}
