import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { allOf, unwrap } from '@/api/client';
import {
  type ConfigTestCreate,
  createConfigTest,
  type DefinitionUpdate,
  getConfigTest,
  getConfigTestQueryKey,
  getExperimentQueryKey,
  previewDefinition,
  saveDefinition,
} from '@/api/generated';

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
