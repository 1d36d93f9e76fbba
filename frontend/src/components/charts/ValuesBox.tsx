import { LineSample } from './LineLegend';
import classes from './tooltip.module.css';

interface Entry {
  label: string;
  color: string;
  dash?: string;
  value: string;
}

/** The values of a chart's lines at one place. */
export interface Reading {
  title: string;
  entries: readonly Entry[];
}

/** The values where the pointer or the keyboard is. */
export function ValuesBox({ title, entries }: Reading) {
  return (
    <div className={classes.tooltip}>
      <div className={classes.tooltipTime}>{title}</div>
      {entries.map(({ label, color, dash, value }) => (
        <div key={label} className={classes.tooltipEntry}>
          <LineSample color={color} dash={dash} />
          <span className={classes.tooltipLabel}>{label}</span>
          <span className={classes.tooltipValue}>{value}</span>
        </div>
      ))}
    </div>
  );
}
