import { type MouseEvent, type PointerEvent, useCallback, useEffect, useRef, useState } from 'react';
import { PLOT_LEFT, PLOT_RIGHT } from '../../axes';

/** Ends of a drag, as shares of the plot's width. */
export type Dragged = readonly [from: number, to: number];

/** A hand moves as far as this with a click. */
const CLICK_PX = 4;

function shareAt(event: PointerEvent<Element>): number {
  const { left, width } = event.currentTarget.getBoundingClientRect();
  const share = (event.clientX - left - PLOT_LEFT) / (width - PLOT_LEFT - PLOT_RIGHT);
  return Math.min(1, Math.max(0, share));
}

function useEscape(act: (() => void) | null): void {
  useEffect(() => {
    if (!act) return;
    const look = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation(); // it ends the drag, and no more
      act();
    };
    window.addEventListener('keydown', look, { capture: true });
    return () => window.removeEventListener('keydown', look, { capture: true });
  }, [act]);
}

/**
 * Handlers that turn a drag across a chart into a part of its time. A click stays one, and a drag is none. Fingers
 * scroll and move the crosshair, so they do not drag.
 */
export function useRangeDrag(onChoose: (dragged: Dragged) => void) {
  const began = useRef<{ x: number; share: number } | null>(null);
  const wasDrag = useRef(false);
  const [dragged, setDragged] = useState<Dragged | null>(null);
  const end = useCallback(() => {
    began.current = null;
    setDragged(null);
  }, []);
  useEscape(dragged && end);
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
