import { t } from '@lingui/core/macro';
import { createPortal } from 'react-dom';
import type { ActionMark } from '@/api/generated';
import { describeAction } from '@/domain/actions';
import { formatOffset } from '@/lib/format';
import type { Look, Row } from './align';
import { ChartLegend } from './ChartLegend';
import { marksAt } from './marks';
import classes from './readout.module.css';

interface Props {
  row: Row | undefined;
  lines: readonly Look[];
  unit: string;
  actions: readonly ActionMark[];
  domain: readonly [number, number];
  /** The chart's legend, in whose place the values at the crosshair are shown: a box would hide the curves. */
  target: HTMLElement | null;
  /** The row stays while the reader looks at other charts. */
  isPinned?: boolean;
}

/** More than these at one instant are counted only. */
const MAX_MARKS = 2;

export function ChartReadout({ row, lines, unit, actions, domain, target, isPinned }: Props) {
  if (!row || !target) return null;
  const marks = marksAt(actions, row.t, domain).map(describeAction);
  const happened = [
    ...marks.slice(0, MAX_MARKS),
    marks.length > MAX_MARKS ? `+${marks.length - MAX_MARKS}` : '',
  ];
  const time = formatOffset(row.t);
  const readout = (
    <div className={classes.readout} {...(isPinned ? { 'data-pinned': true } : { 'data-cursor': true })}>
      <ChartLegend lines={lines} unit={unit} values={row.values} />
      <span className={classes.readoutTime}>
        {isPinned ? t`pinned at ${time}` : t`at ${time}`}
        <span className={classes.happened}>{happened.filter(Boolean).map((text) => ` · ${text}`)}</span>
      </span>
    </div>
  );
  return createPortal(readout, target);
}
