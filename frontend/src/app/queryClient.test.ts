import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { allOf } from '@/api/client';
import {
  getExperimentQueryKey,
  getHostQueryKey,
  getRunQueryKey,
  getTrendsQueryKey,
  listHostsQueryKey,
  listNotesQueryKey,
  listRunsQueryKey,
  listSchedulesQueryKey,
} from '@/api/generated';
import { ApiProblem } from '@/lib/problem';
import { createQueryClient } from './queryClient';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([
  { status: 0, tries: 4 },
  { status: 404, tries: 1 },
  { status: 422, tries: 1 },
  { status: 429, tries: 4 },
  { status: 500, tries: 1 },
  { status: 503, tries: 4 },
])('asks again for what may pass by itself: $status, $tries times in all', async ({ status, tries }) => {
  const ask = vi.fn(() => Promise.reject(new ApiProblem({ status, title: 'Busy' })));
  const observed = createQueryClient().fetchQuery({ queryKey: ['a question'], queryFn: ask });
  const failed = expect(observed).rejects.toBeInstanceOf(ApiProblem);
  await vi.runAllTimersAsync();
  await failed;
  expect(ask).toHaveBeenCalledTimes(tries);
});

it('asks again for what a mutation says that it changes, whether it went well or not', async () => {
  const client = createQueryClient();
  const keys = { changed: listRunsQueryKey({ query: { limit: 5 } }), other: listHostsQueryKey() };
  for (const queryKey of Object.values(keys)) client.setQueryData<unknown>(queryKey, []);
  const isStale = (key: keyof typeof keys) => client.getQueryState(keys[key])?.isInvalidated;
  const meta = { errorShownInPlace: true, refetches: [allOf('runs')] };
  const mutation = client.getMutationCache().build(client, {
    meta,
    mutationFn: () => Promise.reject(new ApiProblem({ status: 409, title: 'Gone on' })),
  });
  await expect(mutation.execute(undefined)).rejects.toBeInstanceOf(ApiProblem);
  expect([isStale('changed'), isStale('other')]).toEqual([true, false]);
});

it.each([
  ['experiments', getExperimentQueryKey({ path: { experiment_id: 'e' } })],
  ['hosts', getHostQueryKey({ path: { host_id: 'h' } })],
  ['notes', listNotesQueryKey({ path: { run_id: 'r' } })],
  ['runs', getRunQueryKey({ path: { run_id: 'r' } })],
  ['schedules', listSchedulesQueryKey({ query: { experiment_id: 'e' } })],
  ['trends', getTrendsQueryKey({ path: { experiment_id: 'e' } })],
] as const)('finds the queries of the group %s', async (group, queryKey) => {
  const client = createQueryClient();
  client.setQueryData<unknown>(queryKey, null);
  await client.invalidateQueries({ queryKey: allOf(group) });
  expect(client.getQueryState(queryKey)?.isInvalidated).toBe(true);
});
