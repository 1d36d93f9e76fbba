import type { ReactNode } from 'react';
import type { ActionMark } from '@/api/generated';
import { lazyPart } from '@/components/ui/lazy/lazyPart';
import { WhenNear } from '@/components/ui/WhenNear';
import type { Moment } from '@/domain/notes';
import { Caption } from '../Caption';
import frame from '../frame.module.css';
import { RangeDrag } from '../time/range/RangeDrag';
import { useTimeRange } from '../time/range/timeRange';
import type { Heat } from './heat';
import classes from './heat.module.css';
import { cellText } from './heatWords';
import { useCell } from './useCell';

const Canvas = lazyPart(() => import('./HeatCanvas').then(({ HeatCanvas }) => HeatCanvas));

const NONE: readonly never[] = [];
/** The scale of colours, and the axis of time. */
const AROUND_PX = 50;
const LEAST_PX = 80;
const MOST_PX = 360;

export interface HeatMapProps {
  title: string;
  unit: string;
  description?: string;
  heat: Heat;
  /** What it shows, in words. */
  summary: string;
  marks?: readonly ActionMark[];
  notes?: readonly Moment[];
  /** Called with the seconds of a moment that was clicked on. */
  onMoment?: (t: number) => void;
  domain: readonly [number, number];
  measureS: number;
  /** Charts of one page share it, and with it the crosshair. */
  syncId: string;
  /** Of a row, in pixels. */
  rowPx?: number;
  empty?: ReactNode;
  actions?: ReactNode;
}

/** The keyboard reaches it as a whole; arrow keys read out its cells. */
function Plot({ chart, height }: { chart: HeatMapProps; height: number }) {
  const { heat, unit, title, summary, measureS, syncId, onMoment, marks = NONE, notes = NONE } = chart;
  const domain = useTimeRange()?.range ?? chart.domain;
  const { cell, setCell, onKeyDown } = useCell(heat);
  const canvas = { heat, unit, domain, measureS, syncId, onMoment, notes, height, cell, actions: marks };
  return (
    <>
      <p className={classes.readout}>
        <span data-covered={cell !== null || undefined}>{summary}</span>
        <span aria-live="polite">{cell && cellText(heat, cell, unit)}</span>
      </p>
      <div
        className={frame.plot}
        style={{ height }}
        role="application"
        aria-roledescription="heat map"
        aria-label={`${title}. ${summary} Arrow keys read each value.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys read its cells
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={() => setCell(null)}
      >
        <WhenNear height={height}>
          <RangeDrag domain={domain}>
            <Canvas {...canvas} onCell={setCell} />
          </RangeDrag>
        </WhenNear>
      </div>
    </>
  );
}

/** One row for each of several alike things, or for each range of values; time across; colour for how much. */
export function HeatMap(props: HeatMapProps) {
  const { title, unit, heat, rowPx = 18, empty = 'No readings yet' } = props;
  const height = AROUND_PX + Math.min(MOST_PX, Math.max(LEAST_PX, heat.rows.length * rowPx));
  return (
    <figure className={frame.figure} aria-label={`${title}${unit ? `, ${unit}` : ''}`}>
      <Caption title={title} unit={unit} description={props.description} actions={props.actions} />
      {heat.times.length === 0 ? (
        <div className={frame.empty} style={{ height }}>
          {empty}
        </div>
      ) : (
        <Plot chart={props} height={height} />
      )}
    </figure>
  );
}
