/**
 * Drawn where it stands among the parts of its chart. Recharts would put each kind of part into a portal of its own
 * (and does so with the words of ticks), and React listens at each portal for every event there is: 140 listeners, which
 * a page of charts has by the thousand.
 */
export const IN_ORDER = { zIndex: 0 } as const;

/** How axes look in every chart. */
export const AXIS_TEXT = { fontSize: 11, fill: 'var(--chart-axis)' } as const;
export const X_AXIS = { tick: AXIS_TEXT, stroke: 'var(--chart-grid)', tickLine: false, ...IN_ORDER } as const;
export const Y_AXIS = { tick: AXIS_TEXT, stroke: 'none', width: 64, ...IN_ORDER } as const;

/** From the edges of a chart over time to its plot, in pixels. */
export const PLOT_LEFT = Y_AXIS.width;
export const PLOT_RIGHT = 14;

const ROUND = [1, 2, 5, 10];

/** The least of 1, 2 and 5 times a power of ten, of which at most so many make `span`. */
export function roundStep(span: number, most: number): number {
  const power = 10 ** Math.floor(Math.log10(span / most));
  return (ROUND.find((step) => step * power >= span / most) ?? 10) * power;
}
