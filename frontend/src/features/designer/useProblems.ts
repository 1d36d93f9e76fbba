import { useDebouncedValue } from '@mantine/hooks';
import { useMemo, useRef, useSyncExternalStore } from 'react';
import type { DefinitionPreview, DefinitionProblem } from '@/api/generated';
import { languageOf, said } from '@/lib/language/serverText';
import { wordsOf } from '@/lib/problem';
import { usePreviewDefinition } from './api';
import { useDesigner, useDraft } from './designerContext';
import { type Draft, toDefinition } from './model/draft/draft';
import { type AssignedProblem, assign, localProblems, localWarnings, type Problem } from './model/problems';

const DEBOUNCE_MS = 300;

export type LivePreview = ReturnType<typeof useLivePreview>;

/** The backend's view of the draft, a moment after the typing pauses. */
export function useLivePreview() {
  const draft = useDraft((current) => current);
  const [settled] = useDebouncedValue(draft, DEBOUNCE_MS);
  const definition = useMemo(() => toDefinition(settled), [settled]);
  const query = usePreviewDefinition(definition);
  const sound = useRef<DefinitionPreview>(undefined);
  if (query.data?.plan && query.data.arms.length > 0) sound.current = query.data;
  const problems = useMemo<Problem[]>(
    () => [...localProblems(draft), ...ofDefinition(query.data?.problems)],
    [draft, query.data],
  );
  const warnings = useMemo(
    () => [...localWarnings(draft), ...ofDefinition(query.data?.warnings)],
    [draft, query.data],
  );
  return {
    query,
    /** The newest answer that has arms and a plan; a draft that is broken for a moment does not empty the page. */
    sound: sound.current,
    /** Whether `sound` is of an earlier draft than the newest answer. */
    isStale: query.data !== undefined && sound.current !== query.data,
    /** Whether an answer about what stands in the form now is still to come. */
    isPending: settled !== draft || query.isPlaceholderData || query.isPending,
    problems,
    /** What can be run, but may not be what is meant. */
    warnings,
  };
}

function ofDefinition(found: readonly DefinitionProblem[] = []): Problem[] {
  return found.map((one) => ({
    ...one,
    message: said(wordsOf(one)),
    lang: languageOf(wordsOf(one)),
    source: null,
  }));
}

/** What a host's nginx said, and about which draft. */
export interface HostFindings {
  draft: Draft;
  problems: Problem[];
}

/** All problems with the fields that show them. What a host said counts for the draft that it saw. */
export function useAssignedProblems(problems: readonly Problem[], findings: HostFindings | null = null) {
  const { fields } = useDesigner();
  const draft = useDraft((current) => current);
  const shown = useSyncExternalStore(fields.subscribe, fields.snapshot);
  const fromHost = findings?.draft === draft ? findings.problems : NONE;
  return useMemo<AssignedProblem[]>(
    () => assign([...problems, ...fromHost], new Set(shown.keys())),
    [problems, fromHost, shown],
  );
}

const NONE: Problem[] = [];
