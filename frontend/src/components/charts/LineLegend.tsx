import { LineSample } from './LineSample';
import classes from './legend.module.css';

interface Props {
  lines: readonly { label: string; color: string; dash?: string }[];
}

/** The names of a chart's lines beside a piece of each. */
export function LineLegend({ lines }: Props) {
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
