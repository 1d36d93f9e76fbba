import { XAxis, YAxis } from 'recharts';
import { formatOffset, formatTick } from '@/lib/format';
import { X_AXIS, Y_AXIS } from '../../axes';
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

/** From zero to the last of `ticks`, up. There is room for all of them, which need not be measured. */
export function valueAxis(unit: string, ticks: number[]) {
  return (
    <YAxis
      key="value"
      domain={[0, ticks.at(-1) ?? 1]}
      allowDataOverflow
      ticks={ticks}
      interval={0}
      tickFormatter={(value: number) => formatTick(value, unit)}
      {...Y_AXIS}
    />
  );
}
