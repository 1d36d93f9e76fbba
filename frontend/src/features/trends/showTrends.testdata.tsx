import { serve } from '@/test/server';
import { show } from '@/test/show';
import TrendsPage from './TrendsPage';
import { someTrends } from './trends.testdata';

const HERE = '/experiments/experiment-1/trends';
const NO_NOTES = Object.fromEntries([1, 2, 3].map((number) => [`GET /runs/run-${number}/notes`, []]));

/** Open the page of trends. */
export function openTrends(answer: unknown = someTrends(), more: Record<string, unknown> = {}) {
  const server = serve({ [`GET ${HERE}`]: answer, ...NO_NOTES, ...more });
  return { server, ...show(<TrendsPage />, { path: '/experiments/:experimentId/trends', at: HERE }) };
}
