/** How axes look in every chart. */
export const AXIS_TEXT = { fontSize: 11, fill: 'var(--chart-axis)' } as const;
export const X_AXIS = { tick: AXIS_TEXT, stroke: 'var(--chart-grid)', tickLine: false } as const;
export const Y_AXIS = { tick: AXIS_TEXT, stroke: 'none', width: 64 } as const;
