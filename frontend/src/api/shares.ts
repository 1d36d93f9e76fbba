import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { itemsOf, unwrap } from './client';
import {
  type ComparisonShareCreate,
  createComparisonShare,
  createShare,
  createTrendsShare,
  listComparisonShares,
  listComparisonSharesQueryKey,
  listShares,
  listSharesQueryKey,
  listTrendsShares,
  listTrendsSharesQueryKey,
  type ShareCreate,
  type ShareCreated,
  type ShareKind,
  type ShareOut,
} from './generated';

export function useShares({ key, list }: ShareSubject) {
  return useQuery({ queryKey: key, queryFn: ({ signal }) => list(signal) });
}

/** Something that links show: how its links are listed and made. */
export interface ShareSubject {
  kind: ShareKind;
  /** In a sentence. */
  name: string;
  key: readonly unknown[];
  /** Among them may be links of another kind, which show the same run. */
  list: (signal: AbortSignal) => Promise<ShareOut[]>;
  create: (body: ShareCreate) => Promise<ShareCreated>;
}

export function reportOf(runId: string): ShareSubject {
  const path = { run_id: runId };
  return {
    kind: 'report',
    name: t`this report`,
    key: listSharesQueryKey({ path }),
    list: (signal) => unwrap(listShares({ path, signal, throwOnError: true })).then(itemsOf),
    create: (body) => unwrap(createShare({ path, body, throwOnError: true })),
  };
}

/** `asked`: as the address of the comparison asks for it. */
export function comparisonOf(asked: Omit<ComparisonShareCreate, keyof ShareCreate>): ShareSubject {
  const query = { runs: asked.runs };
  return {
    kind: 'comparison',
    name: t`this comparison`,
    key: listComparisonSharesQueryKey({ query }),
    list: (signal) => unwrap(listComparisonShares({ query, signal, throwOnError: true })).then(itemsOf),
    create: (body) => unwrap(createComparisonShare({ body: { ...asked, ...body }, throwOnError: true })),
  };
}

export function trendsOf(experimentId: string): ShareSubject {
  const path = { experiment_id: experimentId };
  return {
    kind: 'trends',
    name: t`these trends`,
    key: listTrendsSharesQueryKey({ path }),
    list: (signal) => unwrap(listTrendsShares({ path, signal, throwOnError: true })).then(itemsOf),
    create: (body) => unwrap(createTrendsShare({ path, body, throwOnError: true })),
  };
}
