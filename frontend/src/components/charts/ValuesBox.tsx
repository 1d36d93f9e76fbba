import legend from './legend.module.css';
import classes from './tooltip.module.css';

interface Entry {
  label: string;
  color: string;
  value: string;
}

/** What the lines of a chart read where the pointer is. */
export function ValuesBox({ title, entries }: { title: string; entries: readonly Entry[] }) {
  return (
    <div className={classes.tooltip}>
      <div className={classes.tooltipTime}>{title}</div>
      {entries.map(({ label, color, value }) => (
        <div key={label} className={classes.tooltipEntry}>
          <span className={legend.swatch} style={{ background: color }} />
          <span className={classes.tooltipLabel}>{label}</span>
          <span className={classes.tooltipValue}>{value}</span>
        </div>
      ))}
    </div>
  );
}
