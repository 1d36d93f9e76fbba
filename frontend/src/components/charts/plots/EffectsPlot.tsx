import type { ReactNode } from 'react';
import classes from './EffectsPlot.module.css';
import { type Effect, type EffectScale, effectAxis } from './effects';

export interface EffectRow extends Effect {
  key: string;
  color: string;
  label: ReactNode;
  /** What the row shows, to be read. */
  text: ReactNode;
  /** The trials behind it, where they are what is shown. */
  values?: readonly number[];
  isOpen?: boolean;
}

interface Props {
  title: ReactNode;
  /** Which way is better. */
  note: string;
  rows: readonly EffectRow[];
  scale: EffectScale;
  margin: number;
  unit: string;
}

const percent = (value: number) => `${Math.min(100, Math.max(0, value))}%`;

function Bar({ from, to, ...rest }: { from: number; to: number; className: string; color?: string }) {
  const { className, color } = rest;
  const [left, right] = [Math.max(0, from), Math.min(100, to)];
  return (
    <span
      className={className}
      data-beyond={[from < 0 && 'left', to > 100 && 'right'].filter(Boolean).join(' ') || undefined}
      style={{ left: percent(left), width: percent(right - left), background: color }}
    />
  );
}

/** Changes with their intervals around "no change", a row for each arm; the band is the margin. Read by eyes and ears. */
export function EffectsPlot({ title, note, rows, scale, margin, unit }: Props) {
  const { ticks, place } = effectAxis(rows, { scale, margin, unit });
  const isRatio = scale === 'ratio';
  return (
    <figure className={classes.effects}>
      <figcaption>
        <b>{title}</b> <span className={classes.note}>{note}</span>
      </figcaption>
      <ul>
        {rows.map(({ key, color, label, text, estimate, low, high, values = [], isOpen }) => (
          <li key={key} data-open={isOpen || undefined}>
            <span className={classes.words}>
              {label}
              <span>{text}</span>
            </span>
            <span className={classes.track} aria-hidden>
              {scale !== 'value' && (
                <>
                  <Bar
                    className={classes.margin as string}
                    from={place(isRatio ? 1 / (1 + margin) : -margin)}
                    to={place(isRatio ? 1 + margin : margin)}
                  />
                  <span className={classes.nothing} style={{ left: percent(place(isRatio ? 1 : 0)) }} />
                </>
              )}
              {low !== null && high !== null && (
                <Bar
                  className={classes.interval as string}
                  from={place(low)}
                  to={place(high)}
                  color={color}
                />
              )}
              {values.map((value, index) => (
                <span
                  // biome-ignore lint/suspicious/noArrayIndexKey: trials have no other identity here
                  key={index}
                  className={classes.trial}
                  style={{ left: percent(place(value)), background: color }}
                />
              ))}
              <span className={classes.dot} style={{ left: percent(place(estimate)), background: color }} />
            </span>
          </li>
        ))}
      </ul>
      <div className={classes.axis} aria-hidden>
        {ticks.map(({ at, text }) => (
          <span key={text} style={{ left: percent(at) }}>
            {text}
          </span>
        ))}
      </div>
    </figure>
  );
}
