import { usePlotArea, useXAxisScale } from 'recharts';

interface Props {
  domain: readonly [number, number];
  measureS: number;
}

/** Warm-up and cool-down, which are drawn but not counted. Recharts' own areas report themselves at every drawing. */
export function OutsideWindow({ domain: [start, end], measureS }: Props) {
  const scale = useXAxisScale();
  const area = usePlotArea();
  if (!scale || !area) return null;
  const x = (t: number) => Number(scale(t) ?? 0);
  const parts = [
    { key: 'warm-up', from: start, to: Math.min(0, end) },
    { key: 'cool-down', from: Math.max(measureS, start), to: end },
  ];
  return parts
    .filter(({ from, to }) => from < to)
    .map(({ key, from, to }) => (
      <rect
        key={key}
        x={x(from)}
        y={area.y}
        width={x(to) - x(from)}
        height={area.height}
        fill="var(--chart-outside)"
        data-outside={key}
      />
    ));
}
