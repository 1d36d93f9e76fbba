import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, List, Stack, Text } from '@mantine/core';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { ApiProblem } from '@/lib/problem';
import { useDeleteExperiment } from './api/useDeleteExperiment';

interface Props {
  experimentId: string;
  onKept: () => void;
  onDeleted: () => void;
}

/** Says what is lost before an experiment is deleted; links that work end only when that is confirmed, too. */
export function DeleteExperimentDialog({ experimentId, onKept, onDeleted }: Props) {
  const remove = useDeleteExperiment(experimentId);
  const isShared = remove.error instanceof ApiProblem && remove.error.code === 'experiment-shared';
  return (
    <Stack gap="md">
      <Text size="sm">{t`The experiment is deleted for good. There is no undo.`}</Text>
      <List size="sm" spacing={4}>
        <List.Item>{t`All its versions, its schedules and its runs are lost.`}</List.Item>
        <List.Item>{t`So is all that was measured in them: charts, verdicts, reports and kept files.`}</List.Item>
        <List.Item>{t`To only take it out of the lists, archive it.`}</List.Item>
      </List>
      {remove.error && <ProblemNotice error={remove.error} />}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onKept} data-autofocus>
          <Trans>Keep the experiment</Trans>
        </Button>
        <Button
          color="red"
          loading={remove.isPending}
          onClick={() => remove.mutate(isShared, { onSuccess: onDeleted })}
        >
          {isShared ? t`Delete it with its links` : t`Delete the experiment`}
        </Button>
      </Group>
    </Stack>
  );
}
