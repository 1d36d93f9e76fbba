import { ReferenceArea, XAxis, YAxis } from 'recharts';
import { formatOffset, formatTick } from '@/lib/format';
import { X_AXIS, Y_AXIS } from '../axes';
import { valueTicks } from '../valueTicks';
import { timeTicks } from './timeTicks';

type Domain = readonly [number, number];

/** Seconds, across. */
export function timeAxis(domain: Domain) {
  return (
    <XAxis
      key="time"
      dataKey="t"
      type="number"
      domain={[domain[0], domain[1]]}
      allowDataOverflow
      ticks={timeTicks(domain)}
      tickFormatter={formatOffset}
      {...X_AXIS}
      minTickGap={24}
    />
  );
}

/** From zero to `top`, up. */
export function valueAxis(unit: string, top: number) {
  return (
    <YAxis
      key="value"
      domain={[0, top]}
      allowDataOverflow
      ticks={valueTicks(top, unit)}
      tickFormatter={(value: number) => formatTick(value, unit)}
      {...Y_AXIS}
    />
  );
}

const OUTSIDE_WINDOW = { fill: 'var(--chart-outside)', stroke: 'none', ifOverflow: 'hidden' } as const;

/** Warm-up and cool-down, which are drawn but not counted. */
export function outsideWindow([start, end]: Domain, measureS: number) {
  return [
    start < 0 && <ReferenceArea key="warm-up" x1={start} x2={Math.min(0, end)} {...OUTSIDE_WINDOW} />,
    end > measureS && (
      <ReferenceArea key="cool-down" x1={Math.max(measureS, start)} x2={end} {...OUTSIDE_WINDOW} />
    ),
  ];
}
