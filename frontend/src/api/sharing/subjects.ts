import { t } from '@lingui/core/macro';
import { unwrap } from '../client';
import {
  type ComparisonShareCreate,
  createComparisonShare,
  createShare,
  createTrendsShare,
  listComparisonShares,
  listShares,
  listTrendsShares,
  type ShareCreate,
  type ShareCreated,
  type ShareKind,
  type ShareOut,
} from '../generated';
import { queryKeys } from '../queryKeys';

/** What links show: how its links are listed and made. */
export interface ShareSubject {
  kind: ShareKind;
  /** In a sentence. */
  name: string;
  /** Of its links in the query cache. */
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
    key: queryKeys.shares(runId),
    list: (signal) => unwrap(listShares({ path, signal, throwOnError: true })),
    create: (body) => unwrap(createShare({ path, body, throwOnError: true })),
  };
}

/** `asked`: as the address of the comparison asks for it. */
export function comparisonOf(asked: Omit<ComparisonShareCreate, keyof ShareCreate>): ShareSubject {
  return {
    kind: 'comparison',
    name: t`this comparison`,
    key: queryKeys.comparisonShares(asked.runs),
    list: (signal) =>
      unwrap(listComparisonShares({ query: { runs: asked.runs }, signal, throwOnError: true })),
    create: (body) => unwrap(createComparisonShare({ body: { ...asked, ...body }, throwOnError: true })),
  };
}

export function trendsOf(experimentId: string): ShareSubject {
  const path = { experiment_id: experimentId };
  return {
    kind: 'trends',
    name: t`these trends`,
    key: queryKeys.trendsShares(experimentId),
    list: (signal) => unwrap(listTrendsShares({ path, signal, throwOnError: true })),
    create: (body) => unwrap(createTrendsShare({ path, body, throwOnError: true })),
  };
}
