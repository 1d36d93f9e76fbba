import { t } from '@lingui/core/macro';
import { useState } from 'react';
import { lazyPart } from '@/components/ui/lazyPart';
import { WhenNear } from '@/components/ui/WhenNear';
import { Caption, chartName } from '../ChartFrame';
import { ChartReader } from '../ChartReader';
import reader from '../ChartReader.module.css';
import frame from '../frame.module.css';
import { RangeDrag } from '../time/range/RangeDrag';
import { type OverTimeChart, useShown } from '../time/TimeChart';
import { type Cell, cellText, type Heat } from './heat';
import classes from './heat.module.css';

const Canvas = lazyPart(() => import('./HeatCanvas').then(({ HeatCanvas }) => HeatCanvas));

const NONE: readonly never[] = [];
/** The scale of colours, and the axis of time. */
const AROUND_PX = 50;
const LEAST_PX = 80;
const MOST_PX = 360;

export interface HeatMapProps extends OverTimeChart {
  heat: Heat;
  summary: string;
  rowPx?: number;
}

/** The cell that is read out: where the pointer is, else where the keyboard is. */
function useCell({ rows, times }: Heat) {
  const [pointed, point] = useState<Cell | null>(null);
  const [row, setRow] = useState(0);
  const [column, readColumn] = useState<number | null>(null);
  const read = { row: Math.min(row, rows.length - 1), column: Math.min(column ?? 0, times.length - 1) };
  return {
    cell: pointed ?? (column === null ? null : read),
    row: read.row,
    point,
    readColumn,
    moveRow: (by: number) => setRow(Math.min(rows.length - 1, Math.max(0, read.row + by))),
  };
}

function Plot({ chart, height }: { chart: HeatMapProps; height: number }) {
  const { heat, unit, title, summary } = chart;
  const plot = useShown(chart);
  const { domain, onMoment, actions = NONE } = plot;
  const shown = heat.times.flatMap((t, column) => (t >= domain[0] && t <= domain[1] ? [column] : []));
  const { cell, row, point, readColumn, moveRow } = useCell(heat);
  const timeAt = (place: number) => heat.times[shown[place] ?? 0] ?? 0;
  return (
    <>
      <p className={classes.readout}>
        <span data-covered={cell !== null || undefined}>{summary}</span>
        {cell && <span aria-hidden>{cellText(heat, cell, unit)}</span>}
      </p>
      <div className={`${frame.plot} ${reader.readable}`} style={{ height }}>
        <WhenNear height={height}>
          <RangeDrag domain={domain}>
            <Canvas {...plot} {...{ actions, heat, unit, height, cell }} onCell={point} />
          </RangeDrag>
        </WhenNear>
        <ChartReader
          label={title}
          count={shown.length}
          words={(place) => cellText(heat, { row, column: shown[place] ?? 0 }, unit)}
          onRead={(place) => readColumn(place === null ? null : (shown[place] ?? null))}
          onChoose={onMoment && ((place) => onMoment(timeAt(place)))}
          onRow={moveRow}
        />
      </div>
    </>
  );
}

/** One row for each of several alike things, or for each range of values; time across; colour for how much. */
export function HeatMap(props: HeatMapProps) {
  const { title, unit, heat, rowPx = 18, empty = t`No readings yet` } = props;
  const height = AROUND_PX + Math.min(MOST_PX, Math.max(LEAST_PX, heat.rows.length * rowPx));
  return (
    <figure className={frame.figure} aria-label={chartName(title, unit)}>
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
