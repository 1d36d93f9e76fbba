import classes from './legend.module.css';

/** A piece of a line as the chart draws it, dashes and all. Drawn, not filled: forced colours would take a background away. */
export function LineSample({ color, dash }: { color: string; dash?: string }) {
  return (
    <svg className={classes.sample} viewBox="0 0 18 4" aria-hidden>
      <path d="M0 2h18" stroke={color} strokeWidth={2.5} strokeDasharray={dash} />
    </svg>
  );
}

export interface LineLook {
  label: string;
  color: string;
  dash?: string;
}

export function LineLegend({ lines }: { lines: readonly LineLook[] }) {
  return (
    <ul className={classes.legend}>
      {lines.map(({ label, color, dash }) => (
        <li key={label} className={classes.legendEntry}>
          <LineSample color={color} dash={dash} />
          {label}
        </li>
      ))}
    </ul>
  );
}
