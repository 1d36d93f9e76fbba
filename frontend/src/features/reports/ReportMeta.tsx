import type { Report } from '@/api/generated';
import { Prose } from '@/components/ui/Prose';
import { formatDateTime } from '@/lib/time';

/** The question, and the facts that identify the run. */
export function ReportMeta({ report: { run, hosts } }: { report: Report }) {
  return (
    <>
      <span style={{ flexBasis: '100%' }}>
        <Prose text={run.question} />
      </span>
      {run.started_at && <span>{formatDateTime(run.started_at)}</span>}
      <span>on {hosts.map(({ name, roles }) => `${name} (${roles.join(', ')})`).join(', ')}</span>
      <span>
        {run.plan.blocks} blocks, seed {run.seed}
      </span>
      {run.note && <span>“{run.note}”</span>}
    </>
  );
}
