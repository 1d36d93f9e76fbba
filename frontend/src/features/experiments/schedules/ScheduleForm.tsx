import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import type { SubmitEvent } from 'react';
import type { ExperimentDetail } from '@/api/generated';
import { NginxChoice } from '@/components/hosts/NginxChoice';
import { SlotHosts } from '@/components/hosts/SlotHosts';
import { useHostChoice } from '@/components/hosts/useHostChoice';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { buildsOfDefinition } from '@/domain/builds';
import { slotsOfDefinition } from '@/domain/slots';
import { useCreateSchedule } from '../api/useSchedules';
import { TimingFields } from './TimingFields';
import { useTiming } from './useTiming';

interface Props {
  experiment: ExperimentDetail;
  onDone: () => void;
}

const NO_PROBLEMS = new Map<string, string>();

function Rules() {
  return (
    <Text size="sm" c="var(--text-dim)">
      <Trans>
        Each run is yours and of the version that is the latest then. A time is skipped while the run before
        goes on, and missed if the server is down for more than an hour.
      </Trans>
    </Text>
  );
}

/** Have the latest version run by itself: when, and on which hosts. */
export function ScheduleForm({ experiment: { id, definition }, onDone }: Props) {
  const slots = slotsOfDefinition(definition);
  const where = useHostChoice(slots, buildsOfDefinition(definition));
  const when = useTiming();
  const create = useCreateSchedule(id);
  function submit(event: SubmitEvent) {
    event.preventDefault();
    if (!where.complete || !when.complete) return;
    create.mutate({ ...when.complete, run: where.complete }, { onSuccess: onDone });
  }
  return (
    <form onSubmit={submit} aria-label={t`Schedule`}>
      <Stack gap="sm">
        <TimingFields draft={when.draft} set={when.set} />
        <SlotHosts
          slots={slots}
          assigned={where.assigned}
          addresses={where.addresses}
          problems={NO_PROBLEMS}
          onAssign={where.assign}
          onAddress={where.setAddress}
        />
        <NginxChoice slots={slots} choice={where} problems={NO_PROBLEMS} />
        <Rules />
        {create.error && <ProblemNotice error={create.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" loading={create.isPending} disabled={!where.complete || !when.complete}>
            <Trans>Create schedule</Trans>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
