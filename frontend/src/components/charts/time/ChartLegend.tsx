import { plural, t } from '@lingui/core/macro';
import { memo } from 'react';
import type { ActionMark } from '@/api/generated';
import { byPerturbation, outcomeOf } from '@/domain/actions';
import type { Moment } from '@/domain/notes';
import { formatOffset, formatReading } from '@/lib/format';
import { LineSample } from '../LineLegend';
import classes from '../legend.module.css';
import type { Look } from './align';
import marksStyles from './marks.module.css';

/** What the marks of a chart stand for, and how often it went wrong. Entries of a legend's list. */
const MarkLegend = memo(function MarkLegend({ actions }: { actions: readonly ActionMark[] }) {
  return byPerturbation(actions).map((marks) => {
    const [first] = marks;
    if (!first) return null;
    const failed = marks.filter((mark) => outcomeOf(mark) === 'failed').length;
    const skipped = marks.filter((mark) => mark.skipped).length;
    return (
      <li key={`${first.host} ${first.perturbation}`} className={marksStyles.legend}>
        <span
          className={marksStyles.swatch}
          data-lasts={first.action.endsWith('pressure') || undefined}
          aria-hidden
        />
        {first.perturbation}
        {marks.length > 1 && ` × ${marks.length}`}
        {failed > 0 && <span className={marksStyles.failed}>{t`✕ ${failed} failed`}</span>}
        {skipped > 0 && <span>{t`○ ${skipped} skipped`}</span>}
      </li>
    );
  });
});

interface Props {
  lines: readonly Look[];
  unit: string;
  /** One value a line; without them the legend names the lines only. */
  values?: readonly (number | null | undefined)[];
  actions?: readonly ActionMark[];
  notes?: readonly Moment[];
  hidden?: readonly string[];
  onToggle?: (label: string) => void;
}

const MAX_ENTRIES = 8;
/** More than these are counted only; each flag says what it is. */
const MAX_NOTES = 3;

function notesWords(notes: readonly Moment[]): string {
  if (notes.length > MAX_NOTES) return plural(notes.length, { one: '# note', other: '# notes' });
  const each = notes.map(({ number, t: at }) => {
    const time = formatOffset(at);
    return t`note ${number} at ${time}`;
  });
  return each.join(', ');
}

type NameProps = Pick<Props, 'hidden' | 'onToggle'> & { line: Look };

/** A line's colour and name; where lines can be hidden, a button that does so. */
function Name({ line: { label, color, dash }, hidden = [], onToggle }: NameProps) {
  const name = (
    <>
      <LineSample color={color} dash={dash} />
      <span className={classes.name} title={onToggle ? undefined : label}>
        {label}
      </span>
    </>
  );
  if (!onToggle) return name;
  const isShown = !hidden.includes(label);
  return (
    <button
      type="button"
      className={classes.toggle}
      aria-pressed={isShown}
      title={isShown ? t`Hide this line` : t`Show this line`}
      onClick={() => onToggle(label)}
    >
      {name}
    </button>
  );
}

/** The lines of a chart and, where given, what they read. Context is named without its value unless asked for. */
export function ChartLegend({ lines, unit, values, actions, notes = [], ...toggling }: Props) {
  const entries = lines
    .map((line, index) => ({ line, value: values?.[index] }))
    .filter(({ line }) => !line.unnamed);
  return (
    <ul className={classes.legend}>
      {entries.slice(0, MAX_ENTRIES).map(({ line, value }) => (
        <li key={line.id} className={classes.legendEntry} data-faint={line.faint || undefined}>
          <Name line={line} {...toggling} />
          {values && <b>{value !== undefined && formatReading(value, unit)}</b>}
        </li>
      ))}
      {entries.length > MAX_ENTRIES && (
        <li className={classes.legendEntry}>+{entries.length - MAX_ENTRIES}</li>
      )}
      {actions && <MarkLegend actions={actions} />}
      {notes.length > 0 && <li className={classes.legendEntry}>{notesWords(notes)}</li>}
    </ul>
  );
}
