import { t } from '@lingui/core/macro';
import { Group } from '@mantine/core';
import type { Report, StreamSummary } from '@/api/generated';
import { Term } from '@/components/ui/Term';
import { said } from '@/lib/language/serverText';
import { formatDateTime } from '@/lib/time';
import classes from './Badge.module.css';

interface Props {
  badge: { label: string; help: string };
  /** A reader must know it before any figure. */
  strong?: boolean;
}

/** Something to know of a measurement, in a few words that explain themselves when asked. */
export function Badge({ badge: { label, help }, strong = false }: Props) {
  return (
    <Term help={said(help)} className={strong ? `${classes.badge} ${classes.strong}` : classes.badge}>
      {said(label)}
    </Term>
  );
}

/** Which version of the method has judged a run that is over. */
function methodOf({ method, at }: NonNullable<Report['judged']>) {
  const time = formatDateTime(at);
  return {
    label: t`Method ${method}`,
    help: t`Judged by version ${method} of the method, which said this first on ${time}. What a version changed is in docs/method.md.`,
  };
}

/** What a reader should know of the run in a word or two, the template's labels first. */
export function Badges({ report: { analysis, badges, findings, judged } }: { report: Report }) {
  const { blocks_complete: complete, blocks_planned: planned } = analysis;
  return (
    <Group gap={6} mt="md">
      {(findings?.labels ?? []).map((label) => (
        <Badge key={label.key} badge={label} strong />
      ))}
      {badges.map((badge) => (
        <Badge key={badge.key} badge={badge} />
      ))}
      {judged && <Badge badge={methodOf(judged)} />}
      <span className={classes.badge}>{t`${complete} of ${planned} blocks complete`}</span>
    </Group>
  );
}

type Basis = NonNullable<StreamSummary['latency_basis']>;

/** Says what latency figures count from, which must be equal where two are compared. */
const explained = (): Record<Basis, { label: string; help: string }> => ({
  'closed-loop': {
    label: t`service time under closed loop`,
    help: t`Counted from the first write of a request. A connection sends the next request only after the response, so a stall hides the requests that would have arrived meanwhile.`,
  },
  intended: {
    label: t`latency from the intended time`,
    help: t`Counted from the time the request was scheduled, whether or not a connection was free: what an independent user would experience.`,
  },
});

const streamsOf = ({ trials }: Report) => trials.flatMap(({ summary }) => summary.streams);

/** The basis of one stream; null where no trial says. */
export function basisOfStream(report: Report, stream: string): Basis | null {
  return streamsOf(report).find((own) => own.stream === stream)?.latency_basis ?? null;
}

/** The basis of the trials' totals, which probes are no part of. */
export function basesOfTotals(report: Report): Basis[] {
  const own = streamsOf(report).filter(({ probe }) => !probe);
  return [...new Set(own.flatMap(({ latency_basis }) => latency_basis ?? []))];
}

/** Says at a latency figure from which instant it counts. */
export function LatencyBasis({ bases }: { bases: readonly (Basis | null)[] }) {
  return bases.map((basis) => (basis ? <Badge key={basis} badge={explained()[basis]} /> : null));
}
