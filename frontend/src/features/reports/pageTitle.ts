import { t } from '@lingui/core/macro';
import type { ReportRun } from '@/api/generated';

/** In the window's head, from before the report has arrived. */
export function pageTitle(run: Pick<ReportRun, 'experiment_name' | 'number'> | undefined): string {
  if (!run) return t`Report`;
  const name = `${run.experiment_name} #${run.number}`;
  return t`Report: ${name}`;
}
