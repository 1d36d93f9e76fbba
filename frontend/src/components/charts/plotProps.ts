import type { ComponentProps } from 'react';
import type { ComposedChart } from 'recharts';

const CLICKABLE = { cursor: 'pointer' } as const;

type Props = ComponentProps<typeof ComposedChart>;

/** What all plots over time of a page share: the crosshair, and that a click names a moment. */
export function plotProps(syncId: string, onMoment: ((t: number) => void) | undefined): Props {
  return {
    syncId,
    syncMethod: 'value',
    accessibilityLayer: false,
    style: onMoment && CLICKABLE,
    onClick: onMoment && (({ activeLabel }) => activeLabel !== undefined && onMoment(Number(activeLabel))),
  };
}
