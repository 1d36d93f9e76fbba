import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { allOf, unwrap } from '@/api/client';
import {
  type ConfigTestCreate,
  createConfigTest,
  type DefinitionUpdate,
  getConfigTest,
  getConfigTestQueryKey,
  getExperimentQueryKey,
  getPowerOfNewPlan,
  noteEditor,
  previewDefinition,
  saveDefinition,
} from '@/api/generated';
import type { Sound } from './designerContext';

/**
 * What a definition would run and what is wrong with it. A POST by its body only: it changes nothing, so it is a
 * query here, and one that is overtaken by a newer definition is aborted.
 */
export function usePreviewDefinition(definition: Record<string, unknown>) {
  return useQuery({
    queryKey: ['definition-preview', definition],
    queryFn: ({ signal }) => unwrap(previewDefinition({ body: { definition }, signal, throwOnError: true })),
    placeholderData: keepPreviousData,
    staleTime: 5 * 60_000,
    gcTime: 60_000,
  });
}

/** What a YAML document holds and what is wrong with it, by its lines. */
export function usePreviewYaml(yaml: string) {
  return useQuery({
    queryKey: ['yaml-preview', yaml],
    queryFn: ({ signal }) => unwrap(previewDefinition({ body: { yaml }, signal, throwOnError: true })),
    enabled: yaml.trim() !== '',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

/** Save a new version of an experiment. */
export function useSaveDefinition() {
  const queryClient = useQueryClient();
  return useMutation({
    meta: { errorShownInPlace: true },
    mutationFn: ({ id, body }: { id: string; body: DefinitionUpdate }) =>
      unwrap(saveDefinition({ path: { experiment_id: id }, body, throwOnError: true })),
    onSuccess: (experiment) => {
      void queryClient.invalidateQueries({ queryKey: allOf('experiments') });
      queryClient.setQueryData(getExperimentQueryKey({ path: { experiment_id: experiment.id } }), experiment);
    },
  });
}

const EDITING_MS = 10_000;

/** Says that the draft is being edited, and asks who else edits and what was saved. Not while the page is out of sight. */
export function useEditing(base: { id: string; version: number } | null, editor: string) {
  const body = { editor, base_version: base?.version ?? 1 };
  return useQuery({
    queryKey: ['editing', base?.id, body],
    queryFn: ({ signal }) =>
      unwrap(noteEditor({ path: { experiment_id: base?.id ?? '' }, body, signal, throwOnError: true })),
    enabled: base !== null,
    refetchInterval: EDITING_MS,
    refetchOnWindowFocus: 'always',
    staleTime: EDITING_MS,
    gcTime: 0,
  });
}

/** What a run of the draft would find on a host; a POST by its body only. */
export function usePowerOfDraft({ definition, experimentId }: Sound, host: string | null) {
  const body = { definition: { ...definition }, experiment_id: experimentId, host_id: host };
  return useQuery({
    queryKey: ['power-of-draft', body],
    queryFn: ({ signal }) => unwrap(getPowerOfNewPlan({ body, signal, throwOnError: true })),
    placeholderData: keepPreviousData,
    enabled: host !== null,
    staleTime: 5 * 60_000,
    gcTime: 60_000,
    retry: false,
  });
}

/** Ask a host's own nginx about the configuration of every arm. */
export function useTestOnHost() {
  return useMutation({
    meta: { errorShownInPlace: true },
    mutationFn: (body: ConfigTestCreate) => unwrap(createConfigTest({ body, throwOnError: true })),
  });
}

const POLL_MS = 400;

/** A check on a host, asked about until the host has answered or the backend has given up on it. */
export function useConfigTest(id: string | null) {
  return useQuery({
    queryKey: getConfigTestQueryKey({ path: { test_id: id ?? '' } }),
    queryFn: ({ signal }) =>
      unwrap(getConfigTest({ path: { test_id: id ?? '' }, signal, throwOnError: true })),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data && state.data.state !== 'pending' ? false : POLL_MS),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
