import { t } from '@lingui/core/macro';
import { Stack } from '@mantine/core';
import { useParams } from 'react-router';
import type { SharedComparison } from '@/api/generated';
import { ShareToken } from '@/api/sharing/access';
import { AsOf } from '@/components/sharing/AsOf';
import { ReadOnlyFrame, start } from '@/components/sharing/ReadOnlyFrame';
import { PageHeader } from '@/components/ui/PageHeader';
import { QueryView } from '@/components/ui/QueryView';
import { usePageTitle } from '@/lib/usePageTitle';
import { useSharedComparison } from './api/useSharedComparison';
import { DistributionPanel } from './DistributionPanel';
import { SetupPanel } from './SetupPanel';
import { SharedRunsPanel } from './SharedRunsPanel';
import { TimePanel } from './TimePanel';
import { VerdictPanel } from './VerdictPanel';

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
        <QueryView query={useSharedComparison(token)} skeleton={[48, 160, 140, 320]} wayOut={start()}>
          {(comparison) => <Content comparison={comparison} />}
        </QueryView>
      </ReadOnlyFrame>
    </ShareToken>
  );
}
