import { useCallback } from 'react';
import type { Report } from '@/api/generated';
import { openAddNote } from '@/components/notes/dialogs';
import { notedRun, useMayWrite } from './notes';

/** For who may write: opens a note on a moment of a trial. The dialog asks whether it is on another trial. */
export function useNoteOn(report: Report, trialId: string | undefined): ((t: number) => void) | undefined {
  const mayWrite = useMayWrite();
  const open = useCallback((t: number) => openAddNote(notedRun(report), { trialId, t }), [report, trialId]);
  return mayWrite ? open : undefined;
}
