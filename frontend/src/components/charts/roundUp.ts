const STEPS = [1, 1.5, 2, 3, 4, 5, 6, 8, 10];

/** The next round number that is not less: the end of an axis that several charts share. */
export function roundUp(value: number): number {
  if (!(value > 0)) return 0;
  const power = 10 ** Math.floor(Math.log10(value));
  return Number(((STEPS.find((step) => step * power >= value) ?? 10) * power).toPrecision(2));
}
