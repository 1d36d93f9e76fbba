import { useCallback, useEffect, useMemo, useRef } from 'react';
import type { RunDetail, TrialOut } from '@/api/generated';
import { useNotes } from '@/api/notes/useNotes';
import { useHasRole } from '@/api/useMe';
import { openAddNote } from '@/components/notes/dialogs';
import { type Moment, momentsOf, numbered } from '@/domain/notes';

const NO_MOMENTS: readonly Moment[] = [];

/**
 * The moments of the trial that notes are on; and for who may, what writes one on a moment. Neither changes with
 * readings, so that charts are not drawn again for them.
 */
export function useMoments(run: RunDetail, { id }: TrialOut) {
  const { data } = useNotes(run.id);
  const mayWrite = useHasRole('experimenter');
  const latest = useRef({ run, id });
  useEffect(() => {
    latest.current = { run, id };
  });
  const { arms, trials } = run;
  const moments = useMemo(
    () => momentsOf({ arms, trials }, numbered(data ?? []), [id]),
    [arms, trials, data, id],
  );
  const open = useCallback(
    (t: number) => openAddNote(latest.current.run, { trialId: latest.current.id, t }),
    [],
  );
  return { notes: moments.length > 0 ? moments : NO_MOMENTS, onMoment: mayWrite ? open : undefined };
}
