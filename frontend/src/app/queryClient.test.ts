import { afterEach, beforeEach, expect, it, vi } from 'vitest';
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
