import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { itemsOf } from '@/api/client';
import { listNotesOptions, type Report } from '@/api/generated';
import { hasRole, meQuery } from '@/api/session';
import { useShareToken } from '@/api/shareToken';
import { openAddNote } from '@/components/notes/openNote';
import { type Moment, momentsOf, type NotedRun, type NumberedNote, numbered } from '@/domain/notes';

/** The moments of some trials that notes in the report are on. The list keeps its identity while nothing changes. */
export function useReportMoments(report: Report, trialIds: readonly string[]): Moment[] {
  const notes = useReportNotes(report);
  const key = trialIds.join(' '); // callers make the list anew at every render
  return useMemo(() => momentsOf(notedRun(report), notes, key.split(' ')), [report, notes, key]);
}

/** The notes in a report: as they are now for who is signed in, else those that came with it. */
export function useReportNotes({ run, notes }: Report): NumberedNote[] {
  const isSignedIn = useShareToken() === null;
  const { data } = useQuery({
    ...listNotesOptions({ path: { run_id: run.id } }),
    select: itemsOf,
    enabled: isSignedIn,
  });
  const shown = (isSignedIn && data) || notes;
  return useMemo(() => numbered(shown), [shown]);
}

/** For who may write: opens a note on a moment of a trial. The dialog asks whether it is on another trial. */
export function useNoteOn(report: Report, trialId: string | undefined): ((t: number) => void) | undefined {
  const mayWrite = useMayWrite();
  const open = useCallback((t: number) => openAddNote(notedRun(report), { trialId, t }), [report, trialId]);
  return mayWrite ? open : undefined;
}

export function notedRun({ run, arms, trials }: Report): NotedRun {
  return { id: run.id, plan: run.plan, arms, trials: trials.map(({ trial }) => trial) };
}

/** Whether the reader may write notes: signed in, and more than a viewer. Who came by a link is not asked for. */
export function useMayWrite(): boolean {
  const isSignedIn = useShareToken() === null;
  const { data: me } = useQuery({ ...meQuery, enabled: isSignedIn });
  return isSignedIn && hasRole(me, 'experimenter');
}
