const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 86_400];
const MOST_TICKS = 6;

/** Round seconds within a domain, zero (the start of the measured window) among them. */
export function timeTicks([start, end]: readonly [number, number]): number[] {
  const step =
    STEPS.find((candidate) => (end - start) / candidate <= MOST_TICKS) ?? (end - start) / MOST_TICKS;
  const first = Math.ceil(start / step);
  const count = Math.floor(end / step) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) =>
    Number(((first + index) * step).toFixed(3)),
  );
}
