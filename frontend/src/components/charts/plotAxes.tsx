import { t } from '@lingui/core/macro';
import { XAxis, YAxis } from 'recharts';
import { formatOffset, formatTick } from '@/lib/format';
import { AXIS_TEXT, multiples, X_AXIS, Y_AXIS } from './axes';

const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400];
const MOST_TICKS = 6;

/** Round seconds within a domain, zero (the start of the measured window) among them. */
function timeTicks([start, end]: readonly [number, number]): number[] {
  const step =
    STEPS.find((candidate) => (end - start) / candidate <= MOST_TICKS) ?? (end - start) / MOST_TICKS;
  return multiples(step, Math.ceil(start / step), Math.floor(end / step));
}

export function timeAxis(domain: readonly [number, number]) {
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

/** From the first to the last of `ticks`, up. There is room for all of them, which need not be measured. */
export function valueAxis(unit: string, ticks: number[], allowDataOverflow = false) {
  return (
    <YAxis
      key="value"
      domain={[ticks[0] ?? 0, ticks.at(-1) ?? 1]}
      allowDataOverflow={allowDataOverflow}
      ticks={ticks}
      interval={0}
      tickFormatter={(value: number) => formatTick(value, unit)}
      {...Y_AXIS}
    />
  );
}

/** Requests due a second, across: the `per_s` of a row. */
export function rateAxis(
  ticks: number[],
  isLogarithmic: boolean,
  /** What stands across, and where a row has it. */
  { key, name }: { key: string; name: string } = { key: 'per_s', name: t`Requests due per second` },
) {
  return (
    <XAxis
      dataKey={key}
      type="number"
      scale={isLogarithmic ? 'log' : 'linear'}
      domain={[ticks[0] ?? 0, ticks.at(-1) ?? 1]}
      ticks={ticks}
      allowDuplicatedCategory
      minTickGap={12}
      tickFormatter={(rate: number) => formatTick(rate, '')}
      label={{ value: name, position: 'insideBottom', offset: -10, ...AXIS_TEXT }}
      {...X_AXIS}
    />
  );
}

/** As {@link valueAxis}, also by powers of ten. */
export function scaledAxis(ticks: number[], unit: string, byPowers: boolean) {
  return (
    <YAxis
      scale={byPowers ? 'log' : 'linear'}
      domain={[ticks[0] ?? 0, ticks.at(-1) ?? 1]}
      ticks={ticks}
      interval={0}
      allowDataOverflow
      tickFormatter={(value: number) => formatTick(value, unit)}
      {...Y_AXIS}
    />
  );
}
