import { Button, Group, NumberInput, Skeleton, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import type { HostChoice, RunDetail } from '@/api/generated';
import { usePlanPower } from '@/api/usePlanPower';
import { useStartCalibration } from '@/api/useStartCalibration';
import { ProblemNotice } from '@/components/ui/ProblemNotice';

interface Props {
  experimentId: string;
  /** Where the run would take place, once every slot has a host. */
  hosts: Pick<HostChoice, 'hosts' | 'addresses'> | null;
  onStarted: (run: RunDetail) => void;
}

/** What the plan can find on these hosts, how many blocks find a wanted effect, and a way to calibrate the hosts. */
export function PlanPowerNotice({ experimentId, hosts, onStarted }: Props) {
  const [wanted, setWanted] = useState<string | number>('');
  const [effect] = useDebouncedValue(wanted === '' ? null : Number(wanted), 300);
  const power = usePlanPower(experimentId, hosts && { ...hosts, effect_percent: effect });
  const calibration = useStartCalibration({ errorShownInPlace: true });
  if (!hosts || power.isError) return null;
  if (!power.data) return <Skeleton height={36} />;
  const { text, unknown, source } = power.data;
  const calibrate = () =>
    calibration.mutate({ experimentId, body: hosts }, { onSuccess: (run) => onStarted(run) });
  return (
    <Stack gap="xs" component="section" aria-label="What the plan can find">
      <Text size="sm" aria-live="polite">
        {text}
      </Text>
      <Group gap="sm" align="end">
        {!unknown && (
          <NumberInput
            label="Effect to find, in percent"
            value={wanted}
            onChange={setWanted}
            min={0.1}
            max={1000}
            clampBehavior="strict"
            hideControls
            w={190}
          />
        )}
        {source !== 'calibration' && power.data.arms > 1 && (
          <Button variant="default" loading={calibration.isPending} onClick={calibrate}>
            Calibrate instead
          </Button>
        )}
      </Group>
      {source !== 'calibration' && power.data.arms > 1 && (
        <Text size="xs" c="var(--text-dim)">
          A calibration runs the baseline against itself in 5 blocks. It measures the noise of these hosts.
        </Text>
      )}
      {calibration.error && <ProblemNotice error={calibration.error} />}
    </Stack>
  );
}
