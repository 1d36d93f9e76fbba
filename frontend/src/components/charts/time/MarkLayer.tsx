import { useMemo } from 'react';
import { DefaultZIndexes, usePlotArea, useXAxisScale, ZIndexLayer } from 'recharts';
import type { ActionMark } from '@/api/generated';
import { type Outcome, outcomeOf } from '@/domain/actions';
import { type Moment, noteAnchor } from '@/domain/notes';
import classes from './marks.module.css';

type Domain = readonly [number, number];

/** An instant to mark: of one action, or of several that would stand on the same pixels. */
interface Tick {
  t: number;
  outcome: Outcome;
}

interface Band {
  from: number;
  to: number;
  outcome: Outcome;
}

interface PlacedMarks {
  ticks: Tick[];
  bands: Band[];
  /** The more there are, the fainter, so that the lines stay what is seen first. */
  opacity: number;
}

/** Actions closer than this share of the axis are one tick. */
const SLOTS = 120;
/** An action this long, as a share of the axis, is a band. */
const BAND_SHARE = 0.01;
const WEIGHT: Record<Outcome, number> = { done: 0, skipped: 1, failed: 2 };

function opacityOf(ticks: number): number {
  if (ticks <= 12) return 0.75;
  return ticks <= 40 ? 0.45 : 0.25;
}

/** Where to draw what perturbations did. Of actions on one place, the one that went wrong is shown. */
export function placeMarks(actions: readonly ActionMark[], [start, end]: Domain): PlacedMarks {
  const span = end - start || 1;
  const slots = new Map<number, Tick>();
  const bands: Band[] = [];
  for (const mark of actions) {
    const outcome = outcomeOf(mark);
    const until = mark.ended_s ?? end;
    if (until < start || mark.t_s > end) continue;
    if (outcome !== 'skipped' && until - mark.t_s >= span * BAND_SHARE) {
      bands.push({ from: Math.max(start, mark.t_s), to: Math.min(end, until), outcome });
      continue;
    }
    const slot = Math.round(((mark.t_s - start) / span) * SLOTS);
    const known = slots.get(slot);
    if (!known || WEIGHT[outcome] > WEIGHT[known.outcome]) slots.set(slot, { t: mark.t_s, outcome });
  }
  const ticks = [...slots.values()];
  return { ticks, bands, opacity: opacityOf(ticks.length + bands.length) };
}

/** What happened at an instant of the axis, at most so many. */
export function marksAt(actions: readonly ActionMark[], t: number, [start, end]: Domain): ActionMark[] {
  const near = (end - start) / SLOTS;
  return actions.filter(({ t_s, ended_s }) => t_s - near <= t && t <= Math.max(t_s, ended_s ?? end) + near);
}

interface NoteLayerProps {
  notes: readonly Moment[];
  domain: Domain;
}

const SIDE = 15;

/** Where a flag stands: notes on nearly one moment lie below each other. */
function rowOf(notes: readonly Moment[], index: number, near: number): number {
  const own = notes[index]?.t ?? 0;
  return notes.slice(0, index).filter(({ t }) => Math.abs(t - own) < near).length;
}

/** Flags at the moments that notes are on, above the curves and the crosshair: each leads to its note in the page's list. */
export function NoteLayer({ notes: all, domain: [start, end] }: NoteLayerProps) {
  const scale = useXAxisScale();
  const area = usePlotArea();
  if (!scale || !area) return null;
  const notes = all.filter(({ t }) => t >= start && t <= end);
  const near = ((end - start) / (area.width || 1)) * (SIDE + 2);
  if (notes.length === 0) return null;
  return (
    <ZIndexLayer zIndex={DefaultZIndexes.label + 1}>
      {notes.map(({ noteId, number, t, words }, index) => {
        const x = Number(scale(t) ?? 0);
        const y = area.y + rowOf(notes, index, near) * (SIDE + 1);
        return (
          <a
            key={noteId}
            href={`#${noteAnchor(noteId)}`}
            aria-label={words}
            className={classes.note}
            onClick={(event) => event.stopPropagation()}
          >
            <title>{words}</title>
            <path d={`M${x} ${area.y}v${area.height}`} />
            <rect x={x - SIDE / 2} y={y} width={SIDE} height={SIDE} rx={3} />
            <text x={x} y={y + SIDE / 2} dy="0.35em">
              {number}
            </text>
          </a>
        );
      })}
    </ZIndexLayer>
  );
}

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
  domain: Domain;
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
