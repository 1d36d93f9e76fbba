import { t } from '@lingui/core/macro';
import { Tooltip } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useAsked } from '@/components/ui/term/useAsked';
import type { Cell } from '../../model/matrix';
import classes from './matrix.module.css';

interface Props {
  cell: Cell;
  index: number;
  /** The arm's colour; none where it does not run. */
  color: string | undefined;
  isActive: boolean;
  isBaseline: boolean;
  onFocus: () => void;
  onToggle: () => void;
  onBaseline: () => void;
}

const words = () => ({ on: t({ message: 'runs', context: 'an arm' }), off: t`off`, excluded: t`excluded` });

function whyExcluded({ state, reason }: Cell): string | null {
  if (state !== 'excluded') return null;
  return reason ? t`excluded: ${reason}` : t`excluded`;
}

function Switch({ cell, index, isActive, onFocus, onToggle }: Props) {
  const excluded = cell.state === 'excluded';
  const { label } = cell;
  const why = whyExcluded(cell);
  const { isOpen, asked } = useAsked();
  return (
    <Tooltip label={why} opened={isOpen && why !== null}>
      <button
        type="button"
        role="switch"
        aria-checked={cell.state === 'on'}
        aria-disabled={excluded}
        aria-label={why ? t`${label}, ${why}` : label}
        className={classes.cellSwitch}
        data-cell={index}
        tabIndex={isActive ? 0 : -1}
        {...asked}
        onFocus={() => {
          asked.onFocus();
          onFocus();
        }}
        onClick={({ currentTarget }) => {
          currentTarget.focus(); // not each browser gives it to a button that is tapped
          onToggle();
        }}
      >
        <span className={classes.cellMark} aria-hidden>
          {cell.state === 'on' && <IconCheck size={12} stroke={3} />}
        </span>
        {words()[cell.state]}
      </button>
    </Tooltip>
  );
}

function BaselineRadio({ cell, isBaseline, onBaseline }: Props) {
  const { label } = cell;
  return (
    <label className={classes.baseline} data-checked={isBaseline || undefined}>
      <input
        type="radio"
        name="baseline"
        checked={isBaseline}
        disabled={cell.state !== 'on' && !isBaseline}
        onChange={onBaseline}
        aria-label={t`Baseline: ${label}`}
      />
      <span aria-hidden>{t`baseline`}</span>
    </label>
  );
}

/** One combination: a switch, and a radio that makes it the baseline. */
export function MatrixCell(props: Props) {
  const { cell, color } = props;
  return (
    <td className={classes.cell} data-state={cell.state} style={{ '--arm': color } as React.CSSProperties}>
      <Switch {...props} />
      <BaselineRadio {...props} />
    </td>
  );
}
