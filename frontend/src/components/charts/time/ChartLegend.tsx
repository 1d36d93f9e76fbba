import type { ActionMark } from '@/api/generated';
import { formatReading } from '@/lib/format';
import classes from '../legend.module.css';
import { MarkLegend } from '../marks/MarkLegend';
import type { Look } from './align';

interface Props {
  lines: readonly Look[];
  unit: string;
  /** One value a line; without them the legend names the lines only. */
  values?: readonly (number | null | undefined)[];
  actions?: readonly ActionMark[];
}

const MAX_ENTRIES = 8;

/** The lines of a chart and, where given, what they read. Context is named without its value unless asked for. */
export function ChartLegend({ lines, unit, values, actions }: Props) {
  const entries = lines
    .map((line, index) => ({ line, value: values?.[index] }))
    .filter(({ line }) => !line.unnamed);
  return (
    <ul className={classes.legend}>
      {entries.slice(0, MAX_ENTRIES).map(({ line, value }) => (
        <li key={line.id} className={classes.legendEntry} data-faint={line.faint || undefined}>
          <span
            className={classes.swatch}
            data-dashed={Boolean(line.dash) || undefined}
            style={{ color: line.color }}
          />
          {line.label}
          {values && <b>{value !== undefined && formatReading(value, unit)}</b>}
        </li>
      ))}
      {entries.length > MAX_ENTRIES && (
        <li className={classes.legendEntry}>+{entries.length - MAX_ENTRIES}</li>
      )}
      {actions && <MarkLegend actions={actions} />}
    </ul>
  );
}
