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
    ...listed('Arms', armMarks(experiment)),
    ['nginx workers', shown(nginx.workers)],
    ['Connections per worker', shown(nginx.worker_connections)],
    ...listed(
      'Streams',
      streams.map((one) => describeStream(one, streams.length > 1)),
    ),
    ...listed('Upstream servers', upstream_servers.map(describeUpstreamServer)),
    ...listed('Perturbations', perturbations.map(describePerturbation)),
    ...listed(
      'Thresholds',
      thresholds.map(thresholdText).map((text) => <code key={text}>{text}</code>),
    ),
    ['Sampling interval', `${plan.interval_ms ?? 1000} ms`],
  ];
}

/** The versioned definition: what is compared, under which load, by which plan. */
export function DefinitionPanel({ experiment }: { experiment: ExperimentDetail }) {
  return (
    <Panel title={`Definition, version ${experiment.version}`}>
      <Stack gap="lg">
        <Facts rows={rowsOf(experiment)} />
        <PlanTimeline plan={experiment.plan} showFinish={false} />
      </Stack>
    </Panel>
  );
}
