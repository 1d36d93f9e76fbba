import { Stack } from '@mantine/core';
import type { ExperimentDetail } from '@/api/generated';
import { ArmMark } from '@/components/ArmMark';
import { Facts } from '@/components/Facts';
import { Panel } from '@/components/Panel';
import { PlanTimeline } from '@/components/PlanTimeline';
import { formatDuration, formatNumber } from '@/lib/format';

/** A value that may depend on the arm: then it is an expression, shown as it is. */
const shown = (value: number | string) => (typeof value === 'number' ? formatNumber(value) : value);

/** The versioned definition: what is compared, under which load, by which plan. */
export function DefinitionPanel({ experiment }: { experiment: ExperimentDetail }) {
  const { definition, plan, arms } = experiment;
  const [stream] = definition.streams;
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
            ['nginx workers', definition.nginx.workers],
            ['Connections a worker at most', shown(definition.nginx.worker_connections)],
            [
              'Generator',
              stream && `${stream.engine}, ${stream.threads} thread${stream.threads === 1 ? '' : 's'}`,
            ],
            ['Connections', stream && shown(stream.connections)],
            ['Connections are', stream && (stream.keep_alive ? 'kept alive' : 'closed after each response')],
            ['Response timeout', stream && formatDuration(stream.timeout_s ?? null)],
            ['Sampling interval', `${definition.plan.interval_ms ?? 1000} ms`],
          ]}
        />
        <PlanTimeline plan={plan} showFinish={false} />
      </Stack>
    </Panel>
  );
}
