import { useWindowEvent } from '@mantine/hooks';
import { type MouseEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react';
import { PLOT_LEFT, PLOT_RIGHT } from '../../axes';
import classes from './range.module.css';
import { type RangeChoice, rangeBetween, spanWords, type TimeRange, useTimeRange } from './timeRange';

/** Ends of a drag, as shares of the plot's width. */
type Dragged = readonly [from: number, to: number];

/** A hand moves as far as this with a click. */
const CLICK_PX = 4;

function shareAt(event: PointerEvent<Element>): number {
  const { left, width } = event.currentTarget.getBoundingClientRect();
  const share = (event.clientX - left - PLOT_LEFT) / (width - PLOT_LEFT - PLOT_RIGHT);
  return Math.min(1, Math.max(0, share));
}

/**
 * Handlers that turn a drag across a chart into a part of its time. A click stays one, and a drag is none. Fingers
 * scroll and move the crosshair, so they do not drag.
 */
function useRangeDrag(onChoose: (dragged: Dragged) => void) {
  const began = useRef<{ x: number; share: number } | null>(null);
  const wasDrag = useRef(false);
  const [dragged, setDragged] = useState<Dragged | null>(null);
  const end = () => {
    began.current = null;
    setDragged(null);
  };
  useWindowEvent(
    'keydown',
    (event) => {
      if (!dragged || event.key !== 'Escape') return;
      event.stopPropagation(); // it ends the drag, and no more
      end();
    },
    { capture: true },
  );
  const handlers = {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      wasDrag.current = false;
      const isOurs = event.button === 0 && event.pointerType !== 'touch';
      if (isOurs && !(event.target as Element).closest('a'))
        began.current = { x: event.clientX, share: shareAt(event) };
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      if (!began.current) return;
      if (!wasDrag.current && Math.abs(event.clientX - began.current.x) < CLICK_PX) return;
      if (!wasDrag.current) event.currentTarget.setPointerCapture?.(event.pointerId);
      wasDrag.current = true;
      setDragged([began.current.share, shareAt(event)]);
    },
    onPointerUp: () => {
      if (dragged) onChoose(dragged);
      end();
    },
    onPointerCancel: end,
    onClickCapture: (event: MouseEvent) => {
      if (wasDrag.current) event.stopPropagation();
      wasDrag.current = false;
    },
  };
  return { dragged, handlers };
}

interface Props {
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

function Selected({ dragged: [one, other], range }: { dragged: Dragged; range: TimeRange | null }) {
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
