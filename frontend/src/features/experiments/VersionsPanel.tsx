import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Group, NativeSelect, type NativeSelectProps, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { itemsOf, unwrap } from '@/api/client';
import { useVersionDiff } from '@/api/experiments';
import {
  type ExperimentDetail,
  listVersions,
  listVersionsQueryKey,
  type VersionSummary,
} from '@/api/generated';
import { UnifiedDiff } from '@/components/ui/code/UnifiedDiff';
import { Dim } from '@/components/ui/Dim';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { type Column, DataTable } from '@/components/ui/table/DataTable';
import { useRunsByExperiment } from './api';

/** `runsOf`: the number of runs of a version; undefined while it is loading. */
const columnsOf = (
  experimentId: string,
  runsOf: (number: number) => number | undefined,
): Column<VersionSummary>[] => [
  { name: t`Version`, cell: ({ number }) => number },
  { name: t`Saved`, cell: ({ created_at }) => <RelativeTime iso={created_at} /> },
  { name: t`By`, look: { c: 'var(--text-dim)' }, cell: ({ created_by }) => created_by },
  { name: t`Runs`, cell: ({ number }) => runsOf(number) ?? '…' },
  {
    name: t`Export`,
    cell: ({ number }) => (
      <Anchor
        size="sm"
        href={`/api/v1/experiments/${experimentId}/versions/${number}.yaml`}
        aria-label={t`Export version ${number} as YAML`}
      >
        YAML
      </Anchor>
    ),
  },
];

/** All versions, newest first. A version that is newer than those known is in the key, so that it asks again. */
function useVersions({ id, version }: ExperimentDetail) {
  const path = { experiment_id: id };
  return useQuery({
    queryKey: [...listVersionsQueryKey({ path }), version],
    queryFn: ({ signal }) => unwrap(listVersions({ path, signal, throwOnError: true })),
    select: itemsOf,
  });
}

/** Every saved state of the definition, and what changed between any two of them. */
export function VersionsPanel({ experiment }: { experiment: ExperimentDetail }) {
  const versions = useVersions(experiment);
  const runs = useRunsByExperiment([experiment.id]).data;
  const runsOf = (number: number) => runs && (runs.get(experiment.id)?.runs_by_version[number] ?? 0);
  return (
    <QueryView query={versions} skeleton={[120]}>
      {(items) => (
        <Panel title={t`Versions`} flush note={t`Each run refers to the version that it used.`}>
          <DataTable
            columns={columnsOf(experiment.id, runsOf)}
            rows={items}
            minWidth={520}
            verticalSpacing={5}
          />
          {items.length > 1 && <Comparison experimentId={experiment.id} versions={items} />}
        </Panel>
      )}
    </QueryView>
  );
}

interface ComparisonProps {
  experimentId: string;
  /** Newest first, at least two. */
  versions: readonly VersionSummary[];
}

function Comparison({ experimentId, versions }: ComparisonProps) {
  const numbers = versions.map(({ number }) => String(number));
  const [before, setBefore] = useState(numbers[1] ?? '');
  const [after, setAfter] = useState(numbers[0] ?? '');
  const choice = (value: string, choose: (number: string) => void): NativeSelectProps => ({
    size: 'xs',
    data: numbers,
    value,
    onChange: (event) => choose(event.currentTarget.value),
  });
  const diff = useVersionDiff(experimentId, Number(before), Number(after));
  return (
    <Stack gap="sm" px="md" py="sm">
      <Group gap="sm">
        <Text size="sm">{t`What changed from`}</Text>
        <NativeSelect {...choice(before, setBefore)} aria-label={t`From version`} />
        <Text size="sm">{t({ message: 'to', context: 'version' })}</Text>
        <NativeSelect {...choice(after, setAfter)} aria-label={t`To version`} />
      </Group>
      <QueryView query={diff} skeleton={[80]}>
        {({ text }) =>
          text ? (
            <UnifiedDiff text={text} label={t`Changes from version ${before} to ${after}`} />
          ) : (
            <Dim>
              <Trans>The versions are identical.</Trans>
            </Dim>
          )
        }
      </QueryView>
    </Stack>
  );
}
