import { t } from '@lingui/core/macro';
import { Skeleton, Stack, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isStillWorking } from '@/lib/problem';
import { PageProblem, ProblemNotice, type WayOut } from './ProblemNotice';

interface Props<T> {
  query: UseQueryResult<T>;
  /** Heights of the skeleton's blocks, so that the page does not jump when the data is there. */
  skeleton?: readonly number[];
  /** The reader's way on when the only subject of the page does not exist. */
  wayOut?: WayOut;
  children: (data: T) => ReactNode;
}

/** A query's three faces: skeleton, problem with retry, data. Old data stays visible when a refetch fails. */
export function QueryView<T>({ query, skeleton = [32, 160, 240], wayOut, children }: Props<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) {
    const problem = { error: query.error, retry: () => void query.refetch() };
    return wayOut ? <PageProblem {...problem} wayOut={wayOut} /> : <ProblemNotice {...problem} />;
  }
  return (
    <>
      {wayOut && <h1 className="visually-hidden">{t`Loading`}</h1>}
      <Waiting reason={query.failureReason} />
      <Stack gap="md" role="progressbar" aria-busy={query.failureReason === null} aria-label={t`Loading`}>
        {skeleton.map((height, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: fixed placeholders
          <Skeleton key={index} height={height} />
        ))}
      </Stack>
    </>
  );
}

/** What the server works out meanwhile, once it has said so. */
function Waiting({ reason }: { reason: Error | null }) {
  if (!isStillWorking(reason)) return null;
  return (
    <Text size="sm" role="status" mb="sm">
      {reason.code === 'waits-for-jobs'
        ? t`Waiting for the jobs service`
        : t`Figures are still being computed.`}
    </Text>
  );
}
