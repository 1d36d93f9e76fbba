import { t } from '@lingui/core/macro';
import { Alert, Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { Preview } from '@/api/generated';
import { ArmConfigs } from '@/components/config/ArmConfigs';
import { PlanTimeline } from '@/components/experiments/PlanTimeline';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';

/** What the form's values would run: the plan and each arm's configuration. */
export function TemplatePreview({ preview }: { preview: UseQueryResult<Preview> }) {
  const { data } = preview;
  if (preview.isError && !data)
    return <ProblemNotice error={preview.error} retry={() => void preview.refetch()} />;
  if (!data)
    return (
      <Stack aria-busy="true">
        <Skeleton height={130} />
        <Skeleton height={300} />
      </Stack>
    );
  if (!data.plan || !data.baseline)
    return (
      <Panel title={t`Preview`}>
        <Alert variant="light" color="gray">
          {t`The preview appears when every value is valid.`}
        </Alert>
      </Panel>
    );
  return (
    <Stack gap="md">
      <Panel title={t`Plan`}>
        <PlanTimeline plan={data.plan} />
      </Panel>
      <Panel
        title={t`Arms`}
        note={t`The exact nginx.conf of each arm. Changes are relative to the baseline.`}
      >
        <ArmConfigs arms={data.arms ?? []} baseline={data.baseline} />
      </Panel>
    </Stack>
  );
}
