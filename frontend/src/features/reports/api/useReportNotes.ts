import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Report } from '@/api/generated';
import { notesQuery } from '@/api/notes/useNotes';
import { useShareToken } from '@/api/sharing/access';
import { type NumberedNote, numbered } from '@/domain/notes';

/** The notes in a report: as they are now for who is signed in, else those that came with it. */
export function useReportNotes({ run, notes }: Report): NumberedNote[] {
  const isSignedIn = useShareToken() === null;
  const { data } = useQuery({ ...notesQuery(run.id), enabled: isSignedIn });
  const shown = (isSignedIn && data) || notes;
  return useMemo(() => numbered(shown), [shown]);
}
