import { type PointerEvent, useRef } from 'react';
import type { ChosenWindow } from '@/api/generated';
import { type Bounds, dragged } from './window';

/** Handlers that turn a drag across a chart from `earliest` to `latest` into a window; none without `onChange`. */
export function useDrag({ earliest, latest }: Bounds, onChange: ((window: ChosenWindow) => void) | null) {
  const from = useRef<number | null>(null);
  if (onChange === null) return {};
  const at = (event: PointerEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    return earliest + ((event.clientX - box.left) / (box.width || 1)) * (latest - earliest);
  };
  const end = () => {
    from.current = null;
  };
  return {
    onPointerDown: (event: PointerEvent<SVGSVGElement>) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture?.(event.pointerId);
      from.current = at(event);
    },
    onPointerMove: (event: PointerEvent<SVGSVGElement>) => {
      if (from.current !== null) onChange(dragged(from.current, at(event), { earliest, latest }));
    },
    onPointerUp: end,
    onPointerCancel: end,
  };
}
