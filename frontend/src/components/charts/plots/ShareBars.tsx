import { t } from '@lingui/core/macro';
import classes from './plots.module.css';

interface Props {
  /** Per cent of the whole, greatest first; `null` where unknown. */
  shares: readonly (number | null)[];
  color: string;
  label: string;
}

const MAX_BARS = 16;

/** Shares of one whole, side by side, with a line where all would be equal. */
export function ShareBars({ shares, color, label }: Props) {
  const drawn = shares.slice(0, MAX_BARS);
  const even = 100 / Math.max(1, shares.length);
  return (
    <div className={classes.bars} role="img" aria-label={label}>
      <div className={classes.even} style={{ bottom: `${even}%` }} />
      {drawn.map((share, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: ranks are positions
          key={index}
          className={classes.barSlot}
          title={share === null ? t`unknown` : `${share.toFixed(1)} %`}
        >
          <div className={classes.bar} style={{ height: `${share ?? 0}%`, background: color }} />
          <span>{share === null ? '–' : Math.round(share)}</span>
        </div>
      ))}
    </div>
  );
}
