import classes from './legend.module.css';

/** The names of a chart's lines beside their colours. */
export function LineLegend({ lines }: { lines: readonly { label: string; color: string }[] }) {
  return (
    <ul className={classes.legend}>
      {lines.map(({ label, color }) => (
        <li key={label} className={classes.legendEntry}>
          <span className={classes.swatch} style={{ background: color }} />
          {label}
        </li>
      ))}
    </ul>
  );
}
