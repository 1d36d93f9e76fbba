import { Area, Line } from 'recharts';
import type { Look, Row } from './align';

/** One line of a time chart, or one part of its stack. */
export function curve(line: Look, index: number, stacked: boolean) {
  const common = {
    dataKey: (row: Row) => row.values[index] ?? null,
    name: line.label,
    stroke: line.color,
    isAnimationActive: false,
    connectNulls: false,
    dot: false,
    activeDot: line.faint ? false : { r: 3, strokeWidth: 0 },
    type: 'linear' as const,
  };
  if (stacked)
    return (
      <Area
        key={line.id}
        {...common}
        stackId="stack"
        fill={line.color}
        fillOpacity={line.faint ? 0.2 : 0.55}
        strokeOpacity={line.faint ? 0.45 : 1}
        strokeWidth={1}
      />
    );
  return (
    <Line
      key={line.id}
      {...common}
      strokeWidth={line.faint ? 1.25 : 2}
      strokeOpacity={line.faint ? 0.45 : 1}
      strokeDasharray={line.dash}
    />
  );
}
