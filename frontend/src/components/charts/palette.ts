/**
 * Colours by role, as CSS variables so that light and dark follow the theme (see app/global.css).
 * Arms use the Okabe-Ito set, which stays apart under the common kinds of colour blindness.
 */
const ARM_COLOURS = 8;
const CATEGORY_COLOURS = 8;

/** An arm keeps the colour of its place in the definition, in every chart, table and grid. */
export function armColor(index: number): string {
  return `var(--arm-${(Math.max(0, index) % ARM_COLOURS) + 1})`;
}

/** Dashes tell arms apart without colour, in print for instance. The first is solid. */
const ARM_DASHES = ['', '6 3', '2 3', '8 3 2 3', '1 2', '10 4', '4 2 1 2', '3 5'];

export function armDash(index: number): string | undefined {
  return ARM_DASHES[Math.max(0, index) % ARM_DASHES.length] || undefined;
}

/** Ordered parts of one thing, e.g. percentiles: one hue, from light to dark. */
export function sequentialColor(index: number, count: number): string {
  const strength = count <= 1 ? 1 : index / (count - 1);
  return `color-mix(in oklab, var(--sequence-strong) ${Math.round(20 + strength * 80)}%, var(--sequence-weak))`;
}

/** From little to much: one hue, from hardly more than the ground to the strongest. */
export function heatColor(level: number, levels: number): string {
  const strength = levels <= 1 ? 1 : level / (levels - 1);
  return `color-mix(in oklab, var(--heat-strong) ${Math.round(strength * 100)}%, var(--heat-weak))`;
}

/** Unordered parts. None of them is green or red: a mode of CPU time is neither good nor bad. */
export function categoryColor(index: number): string {
  return `var(--category-${(Math.max(0, index) % CATEGORY_COLOURS) + 1})`;
}
