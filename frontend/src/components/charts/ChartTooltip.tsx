import { formatOffset, formatValue } from '@/lib/format';
import type { Line, Row } from './align';
import classes from './charts.module.css';

const MAX_ENTRIES = 12;

/** Every line's value at the crosshair. */
export function ChartTooltip({ row, lines, unit }: { row: Row | undefined; lines: Line[]; unit: string }) {
  if (!row) return null;
  return (
    <div className={classes.tooltip}>
      <div className={classes.tooltipTime}>{formatOffset(row.t)}</div>
      {lines.slice(0, MAX_ENTRIES).map((line, index) => (
        <div key={line.id} className={classes.tooltipEntry} data-faint={line.faint || undefined}>
          <span className={classes.swatch} style={{ background: line.color }} />
          <span className={classes.tooltipLabel}>{line.label}</span>
          <span className={classes.tooltipValue}>{formatValue(row.values[index], unit)}</span>
        </div>
      ))}
      {lines.length > MAX_ENTRIES && (
        <div className={classes.tooltipTime}>and {lines.length - MAX_ENTRIES} more</div>
      )}
    </div>
  );
}
