import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ExperimentDetail } from '@/api/generated';
import { ArmMark } from '@/components/experiments/ArmMark';
import { PlanTimeline } from '@/components/experiments/PlanTimeline';
import { Facts } from '@/components/ui/Facts';
import { Panel } from '@/components/ui/Panel';
import { describeUpstreamServer, describePerturbation, describeStream, shown } from './describe';

function Lines({ lines }: { lines: readonly string[] }) {
  return lines.length === 0 ? null : (
    <Stack gap={2} mt={2}>
      {lines.map((line) => (
        <span key={line}>{line}</span>
      ))}
    </Stack>
  );
}

const listed = (name: string, lines: readonly string[]): [string, ReactNode][] =>
  lines.length > 0 ? [[name, <Lines key={name} lines={lines} />]] : [];

/** The versioned definition: what is compared, under which load, by which plan. */
export function DefinitionPanel({ experiment }: { experiment: ExperimentDetail }) {
  const { definition, plan, arms } = experiment;
  return (
    <Panel title={`Definition, version ${experiment.version}`}>
      <Stack gap="lg">
        <Facts
          rows={[
            [
              'Arms',
              <Stack key="arms" gap={2} mt={2}>
                {arms.map((arm, index) => (
                  <ArmMark
                    key={arm.key}
                    index={index}
                    label={arm.label}
                    baseline={arm.key === definition.baseline}
                  />
                ))}
              </Stack>,
            ],
            ['nginx workers', shown(definition.nginx.workers)],
            ['Connections a worker at most', shown(definition.nginx.worker_connections)],
            [
              'Streams',
              <Lines
                key="streams"
                lines={definition.streams.map((one) => describeStream(one, definition.streams.length > 1))}
              />,
            ],
            ...listed('Upstream servers', (definition.upstream_servers ?? []).map(describeUpstreamServer)),
            ...listed('Perturbations', (definition.perturbations ?? []).map(describePerturbation)),
            [
              'Thresholds',
              (definition.thresholds ?? []).length > 0 ? (
                <Stack key="thresholds" gap={2} mt={2}>
                  {definition.thresholds?.map((text) => (
                    <code key={text}>{text}</code>
                  ))}
                </Stack>
              ) : null,
            ],
            ['Sampling interval', `${definition.plan.interval_ms ?? 1000} ms`],
          ]}
        />
        <PlanTimeline plan={plan} showFinish={false} />
      </Stack>
    </Panel>
  );
}
