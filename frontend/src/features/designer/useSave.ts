import { t } from '@lingui/core/macro';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useCreateExperiment } from '@/api/experiments';
import type { ExperimentDetail } from '@/api/generated';
import { ApiProblem } from '@/lib/problem';
import { useSaveDefinition } from './api';
import { useStore } from './designerContext';
import { toDefinition } from './model/draft/draft';

/** The experiment a draft belongs to, and the version it was made from. */
export interface Base {
  id: string;
  version: number;
}

/** The version that somebody saved after the one on which this draft is based. */
function conflictOf(error: unknown) {
  if (!(error instanceof ApiProblem) || error.code !== 'version-changed') return null;
  const latest = Number(error.fields.find(({ field }) => field === 'base_version')?.message);
  return Number.isInteger(latest) ? { latest } : null;
}

/** Save the draft, as a new experiment or as the version after its base, and keep why it was refused. */
export function useSave(base: Base | null, onSaved: (experiment: ExperimentDetail) => void) {
  const store = useStore();
  const create = useCreateExperiment();
  const update = useSaveDefinition();
  const [error, setError] = useState<Error | null>(null);
  /** Who may read a new experiment; null is everybody. */
  const [teamId, setTeam] = useState<string | null>(null);
  const conflict = conflictOf(error);

  /** The saved experiment, or null where it was refused. */
  async function save(baseVersion = base?.version ?? null): Promise<ExperimentDetail | null> {
    setError(null);
    const { draft } = store;
    const [name, definition] = [draft.name.trim(), toDefinition(draft)];
    try {
      const saved =
        base === null || baseVersion === null
          ? await create.mutateAsync({ name, definition, team_id: teamId })
          : await update.mutateAsync({ id: base.id, body: { base_version: baseVersion, definition, name } });
      store.markSaved(draft);
      const { version } = saved;
      const message = version === base?.version ? t`No changes to save` : t`Saved as version ${version}`;
      notifications.show({ message, color: 'gray' });
      onSaved(saved);
      return saved;
    } catch (failure) {
      setError(failure as Error);
      return null;
    }
  }

  return {
    save,
    teamId,
    setTeam,
    conflict,
    error: conflict ? null : error,
    isPending: create.isPending || update.isPending,
    dismiss: () => setError(null),
  };
}
