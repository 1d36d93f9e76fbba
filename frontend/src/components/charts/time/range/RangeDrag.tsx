import type { ReactNode } from 'react';
import { PLOT_LEFT, PLOT_RIGHT } from '../../axes';
import classes from './range.module.css';
import { type RangeChoice, rangeBetween, spanWords, type TimeRange, useTimeRange } from './timeRange';
import { useRangeDrag } from './useRangeDrag';

interface Props {
  /** What the chart shows. */
  domain: TimeRange;
  children: ReactNode;
}

/** Around a chart over time: a drag across it chooses the range that all charts of the page show, where they have one. */
export function RangeDrag(props: Props) {
  const choice = useTimeRange();
  return choice ? <Draggable choice={choice} {...props} /> : props.children;
}

function Draggable({ choice, domain, children }: Props & { choice: RangeChoice }) {
  const at = (share: number) => domain[0] + share * (domain[1] - domain[0]);
  const between = (one: number, other: number) => rangeBetween(at(one), at(other), choice.whole);
  const { dragged, handlers } = useRangeDrag(([one, other]) => choice.choose(between(one, other)));
  return (
    <div className={classes.drag} {...handlers}>
      {children}
      {dragged && <Selected dragged={dragged} range={between(...dragged)} />}
    </div>
  );
}

interface SelectedProps {
  dragged: readonly [number, number];
  range: TimeRange | null;
}

function Selected({ dragged: [one, other], range }: SelectedProps) {
  const plot = `(100% - ${PLOT_LEFT + PLOT_RIGHT}px)`;
  return (
    <div
      className={classes.selected}
      style={{
        left: `calc(${PLOT_LEFT}px + ${Math.min(one, other)} * ${plot})`,
        width: `calc(${Math.abs(one - other)} * ${plot})`,
      }}
    >
      <span>{range && spanWords(range)}</span>
    </div>
  );
}
