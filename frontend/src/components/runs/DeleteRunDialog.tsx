import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, List, Stack, Text } from '@mantine/core';
import type { RunSummary } from '@/api/generated';
import { reportOf } from '@/api/sharing/subjects';
import { useShares } from '@/api/sharing/useShares';
import { useDeleteRun } from '@/api/useDeleteRun';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { QueryView } from '@/components/ui/QueryView';
import { linkWorks } from '@/domain/shares';

interface Props {
  run: Pick<RunSummary, 'id' | 'starred'>;
  onKept: () => void;
  onDeleted: () => void;
}

interface LossesProps {
  links: number;
  starred: boolean;
}

function Losses({ links, starred }: LossesProps) {
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

/** Says what is lost before a run is deleted. */
export function DeleteRunDialog({ run, onKept, onDeleted }: Props) {
  const shares = useShares(reportOf(run.id));
  const remove = useDeleteRun(run.id);
  return (
    <QueryView query={shares} skeleton={[96]}>
      {(items) => {
        const links = items.filter(linkWorks).length;
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
                onClick={() => remove.mutate(links > 0, { onSuccess: onDeleted })}
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
