import type { ComponentProps, SyntheticEvent } from 'react';
import type { ComposedChart } from 'recharts';
import { PLOT_LEFT, PLOT_RIGHT } from './axes';

const CLICKABLE = { cursor: 'pointer' } as const;

type Props = ComponentProps<typeof ComposedChart>;

interface Plot {
  syncId: string;
  onMoment?: ((t: number) => void) | undefined;
  domain: readonly [number, number];
  /** The times at which the crosshair can stop. */
  stops: readonly { t: number }[];
}

/**
 * The stop that is next to a click. Recharts names the one where the crosshair was: a finger that taps has moved none
 * before.
 */
function momentAt(event: SyntheticEvent, { domain: [start, end], stops }: Plot): number | undefined {
  const plot = event.target instanceof Element ? event.target.closest('.recharts-wrapper') : null;
  if (!plot || !(event.nativeEvent instanceof MouseEvent)) return undefined;
  const { left, width } = plot.getBoundingClientRect();
  const share = (event.nativeEvent.clientX - left - PLOT_LEFT) / (width - PLOT_LEFT - PLOT_RIGHT);
  if (share < 0 || share > 1) return undefined;
  const t = start + share * (end - start);
  const shown = stops.filter((stop) => stop.t >= start && stop.t <= end);
  return shown.reduce<{ t: number } | undefined>(
    (best, stop) => (best && Math.abs(best.t - t) <= Math.abs(stop.t - t) ? best : stop),
    undefined,
  )?.t;
}

/** What all plots over time of a page share: the crosshair, and that a click names a moment. */
export function plotProps(plot: Plot): Props {
  const { syncId, onMoment } = plot;
  return {
    syncId,
    syncMethod: 'value',
    accessibilityLayer: false,
    style: onMoment && CLICKABLE,
    onClick:
      onMoment &&
      ((_, event) => {
        const t = momentAt(event, plot);
        if (t !== undefined) onMoment(t);
      }),
  };
}
