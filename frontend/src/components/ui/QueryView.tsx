import { t } from '@lingui/core/macro';
import { Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { PageProblem, type WayOut } from './PageProblem';
import { ProblemNotice } from './ProblemNotice';

interface Props<T> {
  query: UseQueryResult<T>;
  /** Heights of the skeleton's blocks, so that the page does not jump when the data is there. */
  skeleton?: readonly number[];
  /** Of a page that is about nothing but this: where its reader goes when it is not there. */
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
      <Stack gap="md" role="progressbar" aria-busy="true" aria-label={t`Loading`}>
        {skeleton.map((height, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: fixed placeholders
          <Skeleton key={index} height={height} />
        ))}
      </Stack>
    </>
  );
}
