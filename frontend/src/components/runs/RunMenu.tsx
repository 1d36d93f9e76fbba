import { t } from '@lingui/core/macro';
import { ActionIcon, Menu } from '@mantine/core';
import { modals } from '@mantine/modals';
import { notifications } from '@mantine/notifications';
import { IconDots, IconTrash } from '@tabler/icons-react';
import type { RunSummary } from '@/api/generated';
import { isOver } from '@/domain/runs';
import { DeleteRunDialog } from './DeleteRunDialog';
import { useMayChange } from './useMayChange';

type Named = Pick<RunSummary, 'id' | 'experiment_name' | 'number' | 'starred' | 'created_by' | 'finished_at'>;

interface Props {
  run: Named;
  className?: string;
  /** Where the page is the run's own: leads away from it. */
  onDeleted?: () => void;
}

function askToDelete(run: Named, onDeleted?: () => void) {
  const name = `${run.experiment_name} #${run.number}`;
  const done = () => {
    modals.closeAll();
    onDeleted?.();
    notifications.show({ message: t`${name} was deleted.`, color: 'gray' });
  };
  modals.open({
    title: t`Delete ${name}?`,
    children: <DeleteRunDialog run={run} onKept={() => modals.closeAll()} onDeleted={done} />,
  });
}

/** The less frequent actions on a run; nothing for whoever may do none of them. */
export function RunMenu({ run, className, onDeleted }: Props) {
  const mayDelete = useMayChange(run);
  if (!mayDelete) return null;
  const name = `${run.experiment_name} #${run.number}`;
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          className={className}
          aria-label={t`More actions on ${name}`}
        >
          <IconDots size={15} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          color="var(--danger)"
          leftSection={<IconTrash size={14} />}
          disabled={!isOver(run)}
          onClick={() => askToDelete(run, onDeleted)}
        >
          {isOver(run) ? t`Delete…` : t`Delete… (once it is over)`}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
