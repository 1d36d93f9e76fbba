import { t } from '@lingui/core/macro';
import { modals } from '@mantine/modals';
import type { ExperimentDetail } from '@/api/generated';
import { useCloneExperiment } from './api/useCloneExperiment';
import { NameForm } from './NameForm';

interface Props {
  experimentId: string;
  name: string;
  /** Dialogs stand outside of the router, so whoever opens this one leads on. */
  onCloned: (copy: ExperimentDetail) => void;
}

/** Name the copy. */
export function CloneForm({ experimentId, name, onCloned }: Props) {
  const clone = useCloneExperiment(experimentId);
  function copyAs(next: string) {
    clone.mutate(
      { name: next },
      {
        onSuccess: (copy) => {
          modals.closeAll();
          onCloned(copy);
        },
      },
    );
  }
  return (
    <NameForm initial={t`${name} (copy)`} action={t`Clone`} isPending={clone.isPending} onSubmit={copyAs} />
  );
}
