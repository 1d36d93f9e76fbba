import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Button, Group, List, Menu, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { notifications } from '@mantine/notifications';
import { IconDots, IconTrash } from '@tabler/icons-react';
import type { RunSummary } from '@/api/generated';
import { useDeleteRun } from '@/api/runs';
import { useMayChange } from '@/api/session';
import { reportOf, useShares } from '@/api/shares';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { QueryView } from '@/components/ui/QueryView';
import { isOver } from '@/domain/runs';

interface DeleteRunDialogProps {
  run: Pick<RunSummary, 'id' | 'starred'>;
  onKept: () => void;
  onDeleted: () => void;
}

function Losses({ links, starred }: { links: number; starred: boolean }) {
  return (
    <List size="sm" spacing={4}>
      <List.Item>{t`All that was measured in it, its charts, verdict, report and kept files are lost.`}</List.Item>
      {links > 0 && (
        <List.Item>
          {plural(links, {
            one: '# link that shows it stops working.',
            other: '# links that show it stop working.',
          })}
        </List.Item>
      )}
      {starred && <List.Item>{t`Somebody starred it as worth keeping.`}</List.Item>}
      <List.Item>
        <Trans>
          Its experiment, schedules and other runs stay, and so does a calibration that came of it.
        </Trans>
      </List.Item>
    </List>
  );
}

function DeleteRunDialog({ run, onKept, onDeleted }: DeleteRunDialogProps) {
  const shares = useShares(reportOf(run.id));
  const remove = useDeleteRun(run.id);
  return (
    <QueryView query={shares} skeleton={[96]}>
      {(items) => {
        const links = items.filter(({ works }) => works).length;
        return (
          <Stack gap="md">
            <Text size="sm">{t`The run is deleted for good. There is no undo.`}</Text>
            <Losses links={links} starred={run.starred} />
            {remove.error && <ProblemNotice error={remove.error} />}
            <Group justify="flex-end" gap="sm">
              <Button variant="default" onClick={onKept} data-autofocus>
                <Trans>Keep the run</Trans>
              </Button>
              <Button
                color="red"
                loading={remove.isPending}
                onClick={() =>
                  remove.mutate(
                    { path: { run_id: run.id }, query: { end_links: links > 0 } },
                    { onSuccess: onDeleted },
                  )
                }
              >
                <Trans>Delete the run</Trans>
              </Button>
            </Group>
          </Stack>
        );
      }}
    </QueryView>
  );
}

type Named = Pick<RunSummary, 'id' | 'experiment_name' | 'number' | 'starred' | 'created_by' | 'finished_at'>;

interface Props {
  run: Named;
  className?: string;
  /** Leaves the page when it is the run's own. */
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
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon className={className} aria-label={t`More actions on ${name}`}>
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
