import { Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ProblemNotice } from './ProblemNotice';

interface Props<T> {
  query: UseQueryResult<T>;
  /** Heights of the skeleton's blocks, so that the page does not jump when the data is there. */
  skeleton?: readonly number[];
  children: (data: T) => ReactNode;
}

/** A query's three faces: skeleton, problem with retry, data. Old data stays visible when a refetch fails. */
export function QueryView<T>({ query, skeleton = [32, 160, 240], children }: Props<T>) {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <ProblemNotice error={query.error} retry={() => void query.refetch()} />;
  return (
    <Stack gap="md" aria-busy="true" aria-label="Loading">
      {skeleton.map((height, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: fixed placeholders
        <Skeleton key={index} height={height} />
      ))}
    </Stack>
  );
}
