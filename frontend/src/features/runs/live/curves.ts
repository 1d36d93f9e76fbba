import type { CurvePoint } from '@/api/generated';

/** A rate that a trial has tried, the `number`-th. */
interface Tried {
  number: number;
  point: CurvePoint;
}

/** One trial's curve as far as it has come. */
export interface LiveCurve {
  trial_id: string;
  planned: number;
  tried: Tried[];
}

export interface CurveEvent extends Tried {
  trial_id: string;
  planned: number;
}

export const curvesKey = (runId: string) => ['curves', runId] as const;

/** `curves` with a rate more. The stream may repeat what it has told. */
export function withCurveEvent(curves: readonly LiveCurve[], event: CurveEvent): LiveCurve[] {
  const { trial_id, planned, number, point } = event;
  const known = curves.find((one) => one.trial_id === trial_id);
  const others = (known?.tried ?? []).filter((one) => one.number !== number);
  return [
    ...curves.filter((one) => one !== known),
    { trial_id, planned, tried: [...others, { number, point }] },
  ];
}

/** A trial's rates, or its numbers of connections, from the lowest up. */
export const pointsOf = ({ tried }: LiveCurve): CurvePoint[] =>
  tried.map(({ point }) => point).sort((a, b) => loadOf(a) - loadOf(b));

const loadOf = ({ connections, per_s }: CurvePoint) => connections ?? per_s;
