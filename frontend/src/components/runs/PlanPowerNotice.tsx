import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, NumberInput, Skeleton, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import type { PowerRequest, RunDetail } from '@/api/generated';
import { usePlanPower } from '@/api/usePlanPower';
import { useStartCalibration } from '@/api/useStartCalibration';
import { ServerText } from '@/components/ui/language/ServerText';
import { ProblemNotice } from '@/components/ui/ProblemNotice';

interface Props {
  experimentId: string;
  /** Where the run would take place, once every slot has a host. */
  hosts: Pick<PowerRequest, 'hosts' | 'addresses' | 'nginx'> | null;
  onStarted: (run: RunDetail) => void;
}

/** Measure the noise of these hosts by an ordinary run of the baseline against itself. */
function CalibrateInstead({ experimentId, hosts, onStarted }: Props) {
  const calibration = useStartCalibration({ errorShownInPlace: true });
  if (!hosts) return null;
  const calibrate = () =>
    calibration.mutate({ experimentId, body: hosts }, { onSuccess: (run) => onStarted(run) });
  return (
    <>
      <Group gap="sm" wrap="nowrap">
        <Button variant="default" loading={calibration.isPending} onClick={calibrate} flex="none">
          <Trans>Calibrate instead</Trans>
        </Button>
        <Text size="xs" c="var(--text-dim)">
          <Trans>
            A calibration runs the baseline against itself in 5 blocks. It measures the noise of these hosts.
          </Trans>
        </Text>
      </Group>
      {calibration.error && <ProblemNotice error={calibration.error} />}
    </>
  );
}

/** What the plan can find on these hosts, how many blocks find a wanted effect, and a way to calibrate the hosts. */
export function PlanPowerNotice({ experimentId, hosts, onStarted }: Props) {
  const [wanted, setWanted] = useState<string | number>('');
  const [effect] = useDebouncedValue(wanted === '' ? null : Number(wanted), 300);
  const power = usePlanPower(experimentId, hosts && { ...hosts, effect_percent: effect });
  if (!hosts || power.isError) return null;
  if (!power.data) return <Skeleton height={36} />;
  const { text, unknown, source, arms } = power.data;
  return (
    <Stack gap="xs" component="section" aria-label={t`What the plan can find`}>
      <Text size="sm" aria-live="polite">
        <ServerText text={text} />
      </Text>
      {!unknown && (
        <NumberInput
          label={t`Effect to find, in percent`}
          value={wanted}
          onChange={setWanted}
          min={0.1}
          max={1000}
          clampBehavior="strict"
          hideControls
          w={190}
        />
      )}
      {source !== 'calibration' && arms > 1 && (
        <CalibrateInstead experimentId={experimentId} hosts={hosts} onStarted={onStarted} />
      )}
    </Stack>
  );
}
