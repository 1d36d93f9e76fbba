import { t } from '@lingui/core/macro';
import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ExperimentDetail } from '@/api/generated';
import { ArmMark } from '@/components/experiments/ArmMark';
import { PlanTimeline } from '@/components/experiments/PlanTimeline';
import { Facts } from '@/components/ui/Facts';
import { Panel } from '@/components/ui/Panel';
import { thresholdText } from '@/domain/thresholds';
import { describePerturbation, describeStream, describeUpstreamServer, shown } from './describe';

type Row = readonly [string, ReactNode];

/** One line each; no row where there is none. */
const listed = (name: string, lines: readonly ReactNode[]): Row[] =>
  lines.length === 0
    ? []
    : [
        [
          name,
          <Stack key={name} gap={2} mt={2}>
            {lines.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines of a fixed text
              <span key={index}>{line}</span>
            ))}
          </Stack>,
        ],
      ];

function armMarks({ arms, definition }: ExperimentDetail) {
  return arms.map(({ key, label }, index) => (
    <ArmMark key={key} index={index} label={label} baseline={key === definition.baseline} />
  ));
}

function rowsOf(experiment: ExperimentDetail): Row[] {
  const {
    nginx,
    streams,
    upstream_servers = [],
    perturbations = [],
    thresholds = [],
    plan,
  } = experiment.definition;
  return [
    ...listed(t`Arms`, armMarks(experiment)),
    [t`nginx workers`, shown(nginx.workers)],
    [t`Connections per worker`, shown(nginx.worker_connections)],
    ...listed(
      t`Streams`,
      streams.map((one) => describeStream(one, streams.length > 1)),
    ),
    ...listed(t`Upstream servers`, upstream_servers.map(describeUpstreamServer)),
    ...listed(t`Perturbations`, perturbations.map(describePerturbation)),
    ...listed(
      t`Thresholds`,
      thresholds.map(thresholdText).map((text) => <code key={text}>{text}</code>),
    ),
    [t`Sampling interval`, `${plan.interval_ms ?? 1000} ms`],
  ];
}

/** The versioned definition: what is compared, under which load, by which plan. */
export function DefinitionPanel({ experiment }: { experiment: ExperimentDetail }) {
  const { version } = experiment;
  return (
    <Panel title={t`Definition, version ${version}`}>
      <Stack gap="lg">
        <Facts rows={rowsOf(experiment)} />
        <PlanTimeline plan={experiment.plan} showFinish={false} />
      </Stack>
    </Panel>
  );
}
