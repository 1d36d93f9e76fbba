import { type ComponentProps, type ReactNode, type SyntheticEvent, useMemo } from 'react';
import { ComposedChart, ReferenceLine, ResponsiveContainer, Tooltip } from 'recharts';
import type { ActionMark } from '@/api/generated';
import type { Moment } from '@/domain/notes';
import { IN_ORDER, PLOT_LEFT, PLOT_RIGHT } from '../axes';
import { timeAxis } from '../plotAxes';
import { NoteLayer } from './MarkLayer';

export interface OverTimeProps {
  actions?: readonly ActionMark[];
  notes?: readonly Moment[];
  /** A click on the plot, or Enter: the seconds of the moment. */
  onMoment?: (t: number) => void;
  pinned?: number | null;
  /** Seconds shown, relative to the start of the measured window. */
  domain: readonly [number, number];
  measureS: number;
  /** Charts of one page share it, and with it the crosshair. */
  syncId: string;
  height: number;
}

interface Props extends Omit<OverTimeProps, 'actions' | 'measureS'> {
  stops: readonly { t: number }[];
  top: number;
  readout: ComponentProps<typeof Tooltip>['content'];
  children: ReactNode;
}

const CLICKABLE = { cursor: 'pointer' } as const;
export const CURSOR = { stroke: 'var(--chart-cursor)' } as const;
const PIN = { stroke: 'var(--active)', strokeWidth: 1.5 } as const;
const NO_NOTES: readonly Moment[] = [];

/**
 * The stop that is next to a click. Recharts names the one where the crosshair was: a finger that taps has moved none
 * before.
 */
function momentAt(event: SyntheticEvent, { domain: [start, end], stops }: Props): number | undefined {
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

/** All plots over time of a page: as wide as each other, with one crosshair; a click names a moment. */
export function OverTimePlot(props: Props) {
  const { stops, top, readout, notes = NO_NOTES, onMoment, pinned = null, domain, height, children } = props;
  const margin = useMemo(() => ({ top, right: PLOT_RIGHT, bottom: 0, left: 0 }), [top]);
  const axis = useMemo(() => timeAxis(domain), [domain]);
  const choose = (event: SyntheticEvent) => {
    const t = momentAt(event, props);
    if (t !== undefined) onMoment?.(t);
  };
  return (
    <ResponsiveContainer width="100%" height={height} initialDimension={{ width: 480, height }}>
      <ComposedChart
        data={stops}
        margin={margin}
        syncId={props.syncId}
        syncMethod="value"
        accessibilityLayer={false}
        style={onMoment && CLICKABLE}
        onClick={onMoment && ((_, event) => choose(event))}
      >
        {children}
        <Tooltip isAnimationActive={false} cursor={CURSOR} content={readout} />
        {axis}
        {pinned !== null && <ReferenceLine x={pinned} {...IN_ORDER} {...PIN} />}
        <NoteLayer notes={notes} domain={domain} />
      </ComposedChart>
    </ResponsiveContainer>
  );
}
