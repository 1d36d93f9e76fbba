import { DefaultZIndexes, usePlotArea, useXAxisScale, ZIndexLayer } from 'recharts';
import { type Moment, noteAnchor } from '@/domain/notes';
import classes from './notes.module.css';

interface Props {
  notes: readonly Moment[];
  domain: readonly [number, number];
}

const SIDE = 15;

/** Where a flag stands: notes on nearly one moment lie below each other. */
function rowOf(notes: readonly Moment[], index: number, near: number): number {
  const own = notes[index]?.t ?? 0;
  return notes.slice(0, index).filter(({ t }) => Math.abs(t - own) < near).length;
}

/** Flags at the moments that notes are on, above the curves and the crosshair: each leads to its note in the page's list. */
export function NoteLayer({ notes: all, domain: [start, end] }: Props) {
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
