import { XAxis, YAxis } from 'recharts';
import { formatOffset, formatTick } from '@/lib/format';
import { X_AXIS, Y_AXIS } from '../../axes';
import { valueTicks } from '../../valueTicks';
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
