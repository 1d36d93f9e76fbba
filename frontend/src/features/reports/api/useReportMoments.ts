import { useMemo } from 'react';
import type { Report } from '@/api/generated';
import { type Moment, momentsOf } from '@/domain/notes';
import { notedRun } from '../notes/notes';
import { useReportNotes } from './useReportNotes';

/** The moments of some trials that notes in the report are on. The list keeps its identity while nothing changes. */
export function useReportMoments(report: Report, trialIds: readonly string[]): Moment[] {
  const notes = useReportNotes(report);
  const key = trialIds.join(' '); // callers make the list anew at every render
  return useMemo(() => momentsOf(notedRun(report), notes, key.split(' ')), [report, notes, key]);
}
