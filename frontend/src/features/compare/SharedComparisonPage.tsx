import { t } from '@lingui/core/macro';
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import {
  type ComparedRun,
  getSharedComparisonOptions,
  type RunComparison,
  type SharedComparison,
} from '@/api/generated';
import { ShareToken } from '@/api/shareToken';
import { AsOf, ReadOnlyFrame, start } from '@/components/sharing/ReadOnlyFrame';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { Tag } from '@/components/ui/Tag';
import { usePageTitle } from '@/lib/usePageTitle';
import { DistributionPanel, TimePanel } from './ChartPanels';
import { RunFacts } from './RunsPanel';
import classes from './RunsPanel.module.css';
import { SetupPanel } from './SetupPanel';
import { commonRefusal } from './useAsked';
import { VerdictPanel } from './VerdictPanel';

function RunCard({ run, comparison }: { run: ComparedRun; comparison: RunComparison }) {
  const { arms, baseline } = comparison;
  const chosen = arms.filter(({ run_id, selected }) => run_id === run.id && selected);
  const { label: runLabel } = run;
  const isBase = (key: string) => arms.some(({ against }) => against === key);
  return (
    <li className={classes.run}>
      <div className={classes.head}>
        <b>
          {run.experiment_name} #{run.number}
        </b>
        {baseline === run.id && <Tag>{t`baseline`}</Tag>}
      </div>
      <RunFacts run={run} />
      <ul className={classes.arms} aria-label={t`Arms of ${runLabel}`}>
        {chosen.map(({ key, label, refused }) => (
          <li key={key}>
            {label} {isBase(key) && <Tag>{t`baseline`}</Tag>}
            {refused && !commonRefusal(comparison) && (
              <p className={classes.refused}>{t`Cannot be compared: ${refused}.`}</p>
            )}
          </li>
        ))}
      </ul>
    </li>
  );
}

/** Which runs and arms are compared: nothing to change. */
function SharedRunsPanel({ comparison }: { comparison: RunComparison }) {
  return (
    <Panel title={t`Runs`} note={t`Each arm is compared with the arm of the same name in the baseline run.`}>
      <ul className={classes.runs}>
        {comparison.runs.map((run) => (
          <RunCard key={run.id} run={run} comparison={comparison} />
        ))}
      </ul>
    </Panel>
  );
}

function Content({ comparison }: { comparison: SharedComparison }) {
  return (
    <>
      <PageHeader title={t`Runs compared`} meta={<AsOf at={comparison.as_of} />} />
      <Stack gap="md">
        <SharedRunsPanel comparison={comparison} />
        <SetupPanel comparison={comparison} />
        <VerdictPanel comparison={comparison} />
        <DistributionPanel analysis={comparison.analysis} />
        <TimePanel comparison={comparison} catalogue={comparison.catalogue} />
      </Stack>
    </>
  );
}

/** A comparison for anyone with the link: nothing around it, nothing to change. */
export default function SharedComparisonPage() {
  const { token = '' } = useParams();
  usePageTitle(t`Runs compared`);
  return (
    <ShareToken value={token}>
      <ReadOnlyFrame>
        <QueryView
          query={useQuery(getSharedComparisonOptions({ path: { token } }))}
          skeleton={[48, 160, 140, 320]}
          wayOut={start()}
        >
          {(comparison) => <Content comparison={comparison} />}
        </QueryView>
      </ReadOnlyFrame>
    </ShareToken>
  );
}
