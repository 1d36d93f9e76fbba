import { t } from '@lingui/core/macro';
import { modals } from '@mantine/modals';
import { useUpdateExperiment } from './api/useUpdateExperiment';
import { NameForm } from './NameForm';

export function RenameForm({ experimentId, name }: { experimentId: string; name: string }) {
  const update = useUpdateExperiment(experimentId);
  return (
    <NameForm
      initial={name}
      action={t`Rename`}
      isPending={update.isPending}
      onSubmit={(next) => update.mutate({ name: next }, { onSuccess: () => modals.closeAll() })}
    />
  );
}
