import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { itemsOf } from '@/api/client';
import { compareRunsOptions, getCatalogueOptions, getRunOptions } from '@/api/generated';
import { comparisonOf } from '@/api/shares';
import { ShareButton } from '@/components/sharing/ShareButton';
import { EmptyState } from '@/components/ui/EmptyState';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { PrintButton } from '@/components/ui/PrintButton';
import { QueryView } from '@/components/ui/QueryView';
import { usePageTitle } from '@/lib/usePageTitle';
import { ComparisonView } from './ComparisonView';
import { RunPicker } from './RunPicker';
import type { Change } from './RunsPanel';
import { type Asked, useAsked } from './useAsked';

function TooFewRuns({ chosen, onChoose }: { chosen: string[]; onChoose: (runId: string) => void }) {
  const { data: first } = useQuery({
    ...getRunOptions({ path: { run_id: chosen[0] ?? '' } }),
    enabled: chosen.length > 0,
  });
  const name = first && `${first.experiment_name} #${first.number}`;
  return (
    <Panel>
      <EmptyState
        title={name ? t`Compare ${name} with …` : t`Choose two runs to compare`}
        action={
          <div style={{ width: 'min(420px, 80vw)', textAlign: 'left' }}>
            <RunPicker experimentId={first?.experiment_id ?? null} chosen={chosen} onChoose={onChoose} />
          </div>
        }
      >
        <Trans>
          Any runs that measure the same thing: of other experiments, versions, hosts, builds of nginx and
          days.
        </Trans>
      </EmptyState>
    </Panel>
  );
}

function Actions({ asked: { runs, arms, baseline, factors } }: { asked: Asked }) {
  return (
    <>
      <PrintButton />
      <ShareButton subject={comparisonOf({ runs, arms, baseline: baseline || null, factor: factors })} />
    </>
  );
}

function Compared({ asked, ask }: Change) {
  const { runs, arms, baseline, factors } = asked;
  // Asked for again only if the address asks for something else, as finished runs do not change.
  const query = useQuery({
    ...compareRunsOptions({ query: { runs, arms, baseline: baseline || null, factor: factors } }),
    placeholderData: keepPreviousData,
  });
  const catalogue = useQuery({
    ...getCatalogueOptions(),
    select: itemsOf,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <QueryView query={query} skeleton={[160, 140, 320]}>
      {(comparison) => (
        <ComparisonView comparison={comparison} change={{ asked, ask }} catalogue={catalogue.data} />
      )}
    </QueryView>
  );
}

export default function ComparePage() {
  usePageTitle(t`Compare runs`);
  const [asked, ask] = useAsked();
  const hasRuns = asked.runs.length > 1;
  return (
    <>
      <PageHeader
        title={t`Compare runs`}
        crumbs={[{ label: t`Runs`, to: '/runs' }]}
        actions={hasRuns && <Actions asked={asked} />}
      />
      {hasRuns ? (
        <Compared asked={asked} ask={ask} />
      ) : (
        <TooFewRuns chosen={asked.runs} onChoose={(id) => ask({ runs: [...asked.runs, id] })} />
      )}
    </>
  );
}
