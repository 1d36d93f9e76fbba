import { t } from '@lingui/core/macro';
import { ActionIcon, Button } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconCopy, IconPlus, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { focusSoon } from '../fieldRegistry';
import classes from './RowActions.module.css';

interface Props {
  /** What is moved or removed, by name. */
  what: string;
  /** Path of the list. */
  path: string;
  index: number;
  count: number;
  /** Fewer are not possible. */
  least?: number;
  onMove?: (by: number) => void;
  onDuplicate?: () => void;
  onRemove: () => void;
}

const BUTTON = { variant: 'subtle', color: 'gray', size: 'sm', type: 'button' } as const;

/** Moving ends at the ends of the list; the cursor stays with what was moved. */
function MoveButtons({ what, path, index, count, onMove }: Props & { onMove: (by: number) => void }) {
  function move(by: number) {
    const target = index + by;
    if (target < 0 || target >= count) return;
    onMove(by);
    focusSoon(`${path}.${target}:${by < 0 ? 'up' : 'down'}`);
  }
  return (
    <>
      <ActionIcon
        {...BUTTON}
        data-field={`${path}.${index}:up`}
        aria-label={t`Move ${what} up`}
        aria-disabled={index === 0}
        onClick={() => move(-1)}
      >
        <IconArrowUp size={14} />
      </ActionIcon>
      <ActionIcon
        {...BUTTON}
        data-field={`${path}.${index}:down`}
        aria-label={t`Move ${what} down`}
        aria-disabled={index === count - 1}
        onClick={() => move(1)}
      >
        <IconArrowDown size={14} />
      </ActionIcon>
    </>
  );
}

/** Move up, move down, duplicate, remove. */
export function RowActions(props: Props) {
  const { what, path, index, count, least = 0, onMove, onDuplicate, onRemove } = props;
  function remove() {
    if (count <= least) return;
    onRemove();
    focusSoon(count > 1 ? `${path}.${Math.max(0, index - 1)}:remove` : path);
  }
  return (
    <div className={classes.rowActions}>
      {onMove && <MoveButtons {...props} onMove={onMove} />}
      {onDuplicate && (
        <ActionIcon {...BUTTON} aria-label={t`Duplicate ${what}`} onClick={onDuplicate}>
          <IconCopy size={14} />
        </ActionIcon>
      )}
      <ActionIcon
        {...BUTTON}
        data-field={`${path}.${index}:remove`}
        aria-label={t`Remove ${what}`}
        aria-disabled={count <= least}
        onClick={remove}
      >
        <IconX size={14} />
      </ActionIcon>
    </div>
  );
}

/** Adds a row to the list above it. */
export function AddButton({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-xs"
      leftSection={<IconPlus size={12} />}
      onClick={onClick}
    >
      {children}
    </Button>
  );
}
