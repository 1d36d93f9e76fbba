import { t } from '@lingui/core/macro';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { useCreateExperiment } from '@/api/experiments';
import type { ExperimentDetail } from '@/api/generated';
import { ApiProblem } from '@/lib/problem';
import { useSaveDefinition } from './api';
import { useStore } from './designerContext';
import { toDefinition } from './model/draft/draft';

/** Somebody saved after the version on which this draft is based. */
export interface Conflict {
  latest: number;
}

/** The experiment a draft belongs to, and the version it was made from. */
export interface Base {
  id: string;
  version: number;
}

function conflictOf(error: unknown): Conflict | null {
  if (!(error instanceof ApiProblem) || error.code !== 'version-changed') return null;
  const latest = Number(error.fields.find(({ field }) => field === 'base_version')?.message);
  return Number.isInteger(latest) ? { latest } : null;
}

/** Sends the draft: as a new experiment, or as the version after `baseVersion`. */
function useSend(base: Base | null) {
  const store = useStore();
  const create = useCreateExperiment();
  const update = useSaveDefinition();
  async function send(baseVersion: number | null): Promise<ExperimentDetail> {
    const { draft } = store;
    const [name, definition] = [draft.name.trim(), toDefinition(draft)];
    const saved =
      base === null || baseVersion === null
        ? await create.mutateAsync({ name, definition })
        : await update.mutateAsync({ id: base.id, body: { base_version: baseVersion, definition, name } });
    store.markSaved(draft);
    return saved;
  }
  return { send, isPending: create.isPending || update.isPending };
}

/** Save the draft, and keep why it was refused. */
export function useSave(base: Base | null, onSaved: (experiment: ExperimentDetail) => void) {
  const { send, isPending } = useSend(base);
  const [conflict, setConflict] = useState<Conflict | null>(null);
  const [error, setError] = useState<Error | null>(null);

  function dismiss() {
    setConflict(null);
    setError(null);
  }

  /** The saved experiment, or null where it was refused; why is in `error` or `conflict`. */
  async function save(baseVersion = base?.version ?? null): Promise<ExperimentDetail | null> {
    dismiss();
    try {
      const saved = await send(baseVersion);
      const { version } = saved;
      const message = version === base?.version ? t`No changes to save` : t`Saved as version ${version}`;
      notifications.show({ message, color: 'gray' });
      onSaved(saved);
      return saved;
    } catch (failure) {
      setConflict(conflictOf(failure));
      if (!conflictOf(failure)) setError(failure as Error);
      return null;
    }
  }

  return { save, conflict, error, isPending, dismiss };
}
