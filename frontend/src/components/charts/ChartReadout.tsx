import { createPortal } from 'react-dom';
import { formatOffset } from '@/lib/format';
import type { Line, Row } from './align';
import { ChartLegend } from './ChartLegend';
import classes from './charts.module.css';

interface Props {
  row: Row | undefined;
  lines: readonly Line[];
  unit: string;
  /** The chart's legend, in whose place the values at the crosshair are shown: a box would hide the curves. */
  target: HTMLElement | null;
}

export function ChartReadout({ row, lines, unit, target }: Props) {
  if (!row || !target) return null;
  const readout = (
    <div className={classes.readout} data-cursor>
      <ChartLegend lines={lines} unit={unit} values={row.values} />
      <span className={classes.readoutTime}>at {formatOffset(row.t)}</span>
    </div>
  );
  return createPortal(readout, target);
}
