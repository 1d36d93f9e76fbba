import { useMemo } from 'react';
import { usePlotArea, useXAxisScale } from 'recharts';
import type { ActionMark } from '@/api/generated';
import type { Outcome } from '@/domain/actions';
import { placeMarks } from './marks';
import classes from './marks.module.css';

const OUTCOMES: readonly Outcome[] = ['done', 'skipped', 'failed'];
const SIGN = 3.5;

/** A cross for what failed, a ring for what was skipped: never by colour alone. */
function sign(outcome: Outcome, x: number, y: number): string {
  if (outcome === 'failed')
    return `M${x - SIGN} ${y - SIGN}l${2 * SIGN} ${2 * SIGN}M${x + SIGN} ${y - SIGN}l${-2 * SIGN} ${2 * SIGN}`;
  if (outcome === 'skipped')
    return `M${x - SIGN} ${y}a${SIGN} ${SIGN} 0 1 0 ${2 * SIGN} 0a${SIGN} ${SIGN} 0 1 0 ${-2 * SIGN} 0`;
  return '';
}

interface Props {
  actions: readonly ActionMark[];
  domain: readonly [number, number];
}

/** What perturbations did, behind the curves of a chart: one path an outcome, however many actions there are. */
export function MarkLayer({ actions, domain }: Props) {
  const scale = useXAxisScale();
  const area = usePlotArea();
  const placed = useMemo(() => placeMarks(actions, domain), [actions, domain]);
  if (!scale || !area || placed.ticks.length + placed.bands.length === 0) return null;
  const x = (t: number) => Number(scale(t) ?? 0);
  const { y, height } = area;
  return (
    <g className={classes.layer} data-marks={placed.ticks.length + placed.bands.length}>
      {placed.bands.map(({ from, to, outcome }) => (
        <rect
          key={`${from} ${to}`}
          data-outcome={outcome}
          x={x(from)}
          y={y}
          width={Math.max(1, x(to) - x(from))}
          height={height}
        />
      ))}
      {OUTCOMES.map((outcome) => {
        const ticks = placed.ticks.filter((tick) => tick.outcome === outcome);
        const bands = placed.bands.filter((band) => band.outcome === outcome);
        const lines = ticks.map(({ t }) => `M${x(t)} ${y}v${height}`).join('');
        const signs = [...ticks.map(({ t }) => t), ...bands.map(({ from }) => from)]
          .map((t) => sign(outcome, x(t), y + SIGN))
          .join('');
        return (
          <g key={outcome} data-outcome={outcome}>
            <path d={lines} opacity={placed.opacity} />
            {signs && <path d={signs} data-sign />}
          </g>
        );
      })}
    </g>
  );
}
