import { plural, t } from '@lingui/core/macro';
import type { Report, ReportRun } from '@/api/generated';
import { RevisionText } from '@/components/runs/RevisionText';
import { Prose } from '@/components/ui/Prose';
import { Term } from '@/components/ui/Term';
import { said } from '@/lib/language/serverText';
import { formatDateTime } from '@/lib/time';

/** The question, and the facts that identify the run. */
export function ReportMeta({ report: { run, hosts } }: { report: Report }) {
  const { seed, plan } = run;
  const { blocks } = plan;
  const where = hosts.map(({ name, roles }) => `${name} (${roles.join(', ')})`).join(', ');
  return (
    <>
      <span style={{ flexBasis: '100%' }}>
        <Prose text={said(run.question)} />
      </span>
      {run.started_at && <span>{formatDateTime(run.started_at)}</span>}
      <span>{t`on ${where}`}</span>
      <Term
        help={t`A block is each arm once, in random order. The seed ${seed} makes that order: the same seed gives the same one.`}
      >
        {plural(blocks, { one: '# block', other: '# blocks' })}
      </Term>
      <RevisionText of={run.revision} />
      {run.note && <span>“{run.note}”</span>}
    </>
  );
}

/** In the window's head, from before the report has arrived. */
export function pageTitle(run: Pick<ReportRun, 'experiment_name' | 'number'> | undefined): string {
  if (!run) return t`Report`;
  const name = `${run.experiment_name} #${run.number}`;
  return t`Report: ${name}`;
}
