import { Stack } from '@mantine/core';
import type { ExperimentDetail, Stream } from '@/api/generated';
import { ArmMark } from '@/components/ArmMark';
import { Facts } from '@/components/Facts';
import { Panel } from '@/components/Panel';
import { PlanTimeline } from '@/components/PlanTimeline';
import { formatDuration, formatNumber } from '@/lib/format';

/** A value that may depend on the arm: then it is an expression, shown as it is. */
const shown = (value: number | string) => (typeof value === 'number' ? formatNumber(value) : value);

/** A stream in a line: "wrk, 2 threads, 100 connections kept alive, GET /". */
function describe(stream: Stream, named: boolean): string {
  const { engine = 'wrk', threads = 1, connections, keep_alive = true, method = 'GET', path = '/' } = stream;
  return [
    named && `${stream.key} on ${stream.slot ?? 'generator'}:`,
    `${engine}, ${shown(threads)} ${threads === 1 ? 'thread' : 'threads'},`,
    `${shown(connections)} connections ${keep_alive ? 'kept alive' : 'closed after each response'},`,
    `${method} ${path},`,
    `timeout ${formatDuration(stream.timeout_s ?? 30)}`,
  ]
    .filter(Boolean)
    .join(' ');
}

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
              <Stack key="streams" gap={2} mt={2}>
                {definition.streams.map((stream) => (
                  <span key={stream.key}>{describe(stream, definition.streams.length > 1)}</span>
                ))}
              </Stack>,
            ],
            [
              'Backends',
              (definition.backends ?? []).map(({ key, instances = 1 }) => `${key} × ${instances}`).join(', '),
            ],
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
