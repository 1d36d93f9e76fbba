import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from 'react-router';
import { itemsOf } from '@/api/client';
import type { CalibrationOut, MetricNoise } from '@/api/generated';
import { listCalibrationsOptions } from '@/api/generated';
import { useStartRun } from '@/api/runs';
import { useHasRole } from '@/api/session';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { WideTable } from '@/components/ui/table/WideTable';
import { said } from '@/lib/language/serverText';

const MOST_METRICS = 3;

function noiseText({ scale, half_width, unit, title }: MetricNoise): string {
  const size =
    scale === 'ratio'
      ? `${(100 * half_width).toPrecision(2)} %`
      : `${half_width.toPrecision(2)} ${unit}`.trim();
  return `${said(title)} ±${size}`;
}

function Again({ calibration }: { calibration: CalibrationOut }) {
  const start = useStartRun();
  const navigate = useNavigate();
  const again = () =>
    start.mutate(
      { experimentId: calibration.experiment_id, body: { hosts: calibration.host_of_slot } },
      { onSuccess: (run) => void navigate(`/runs/${run.id}`) },
    );
  return (
    <Button variant="default" size="compact-sm" loading={start.isPending} onClick={again}>
      <Trans>Calibrate again</Trans>
    </Button>
  );
}

/** The run in which it was taken, which may have been deleted since. */
function Origin({ calibration }: { calibration: CalibrationOut }) {
  const { run_id, experiment_id, experiment_name } = calibration;
  if (run_id) return <Link to={`/runs/${run_id}/report`}>{experiment_name}</Link>;
  return (
    <Trans>
      <Link to={`/experiments/${experiment_id}`}>{experiment_name}</Link> (its run was deleted)
    </Trans>
  );
}

function Row({ calibration }: { calibration: CalibrationOut }) {
  const mayStart = useHasRole('experimenter');
  const { stale, noise } = calibration;
  return (
    <Table.Tr>
      <Table.Td>
        <Origin calibration={calibration} />
        {calibration.hosts.length > 1 && (
          <Text size="xs" c="var(--text-dim)">
            {calibration.hosts.join(', ')}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <RelativeTime iso={calibration.taken_at} />
      </Table.Td>
      <Table.Td>{noise.slice(0, MOST_METRICS).map(noiseText).join(', ')}</Table.Td>
      <Table.Td>{stale ? t`stale: ${stale}` : t`in force`}</Table.Td>
      <Table.Td>{mayStart && <Again calibration={calibration} />}</Table.Td>
    </Table.Tr>
  );
}

/** The noise that calibrations measured on this host, and whether it still holds. */
export function CalibrationsPanel({ hostId }: { hostId: string }) {
  const query = useQuery({ ...listCalibrationsOptions({ path: { host_id: hostId } }), select: itemsOf });
  return (
    <Panel
      title={t`Calibrations`}
      flush
      note={t`A calibration compares an arm with itself. Differences smaller than that are no finding on this host.`}
    >
      <QueryView query={query} skeleton={[40]}>
        {(calibrations) =>
          calibrations.length === 0 ? (
            <Text size="sm" c="var(--text-dim)" p="sm">
              <Trans>Not calibrated yet. Choose Run on an experiment, then Calibrate instead.</Trans>
            </Text>
          ) : (
            <WideTable minWidth={640}>
              <Table verticalSpacing={5}>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>{t({ message: 'Load', context: 'traffic' })}</Table.Th>
                    <Table.Th>{t`Taken`}</Table.Th>
                    <Table.Th>{t`Noise (95 % interval)`}</Table.Th>
                    <Table.Th>{t`State`}</Table.Th>
                    <Table.Th aria-label={t`Actions`} />
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {calibrations.map((calibration) => (
                    <Row key={calibration.id} calibration={calibration} />
                  ))}
                </Table.Tbody>
              </Table>
            </WideTable>
          )
        }
      </QueryView>
    </Panel>
  );
}
