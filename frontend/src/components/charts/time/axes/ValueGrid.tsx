import { usePlotArea, useYAxisScale } from 'recharts';

/** A line at each tick of the axis of values. Recharts' own grid measures the words of both axes at every drawing. */
export function ValueGrid({ ticks }: { ticks: readonly number[] }) {
  const scale = useYAxisScale();
  const area = usePlotArea();
  if (!scale || !area) return null;
  const lines = ticks.map((tick) => `M${area.x} ${Number(scale(tick) ?? 0)}h${area.width}`);
  return (
    <path className="recharts-cartesian-grid" d={lines.join('')} stroke="var(--chart-grid)" fill="none" />
  );
}
