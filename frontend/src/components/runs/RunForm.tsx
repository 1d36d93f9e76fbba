import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { type SubmitEvent, useState } from 'react';
import type { RunDetail } from '@/api/generated';
import { useHosts } from '@/api/useHosts';
import { useStartRun } from '@/api/useStartRun';
import { NginxChoice } from '@/components/hosts/NginxChoice';
import { SlotHosts } from '@/components/hosts/SlotHosts';
import { useHostChoice } from '@/components/hosts/useHostChoice';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import type { Slot } from '@/domain/slots';
import { ApiProblem } from '@/lib/problem';
import { PlanPowerNotice } from './PlanPowerNotice';

interface Props {
  experimentId: string;
  slots: readonly Slot[];
  /** What arms call the nginx that they run. */
  builds?: readonly string[];
  onStarted: (run: RunDetail) => void;
  onCancel: () => void;
}

/** What the server refused, by the field it is about; the rest is for the whole form. */
function refusals(error: Error | null): { byField: Map<string, string>; rest: Error | null } {
  const fields = error instanceof ApiProblem ? error.fields : [];
  const known = fields.filter(({ field }) => /^(hosts|addresses|nginx)\.|^(note|seed)$/.test(field));
  const byField = new Map(known.map(({ field, message }) => [field, message]));
  return { byField, rest: error && known.length === 0 ? error : null };
}

/** What is not about hosts: a note, and the seed of the random order. */
function useRunOptions() {
  const [seed, setSeed] = useState<string | number>('');
  const [note, setNote] = useState('');
  const body = { note: note.trim() || null, seed: seed === '' ? null : Number(seed) };
  return { seed, setSeed, note, setNote, body };
}

interface OptionFieldsProps {
  options: ReturnType<typeof useRunOptions>;
  problems: ReadonlyMap<string, string>;
}

function OptionFields({ options: { seed, setSeed, note, setNote }, problems }: OptionFieldsProps) {
  return (
    <>
      <TextInput
        label={t`Note`}
        placeholder={t`What is special about this run`}
        value={note}
        maxLength={500}
        error={problems.get('note')}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
      <NumberInput
        label={t`Seed`}
        description={t`Determines the order of trials. If empty, a random seed is used.`}
        value={seed}
        onChange={setSeed}
        error={problems.get('seed')}
        min={0}
        allowDecimal={false}
        hideControls
      />
    </>
  );
}

function NoHostNote() {
  const { data: hosts } = useHosts();
  return hosts?.length === 0 ? (
    <Text size="sm" c="var(--text-dim)">
      <Trans>No host is registered yet. Add one on the Hosts page.</Trans>
    </Text>
  ) : null;
}

interface ButtonsProps {
  isPending: boolean;
  disabled: boolean;
  onCancel: () => void;
}

function Buttons({ isPending, disabled, onCancel }: ButtonsProps) {
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onCancel}>
        <Trans>Cancel</Trans>
      </Button>
      <Button type="submit" loading={isPending} disabled={disabled}>
        <Trans>Start run</Trans>
      </Button>
    </Group>
  );
}

/** Start a run: a host for every slot, addresses where a host has several, note and seed. */
export function RunForm({ experimentId, slots, builds, onStarted, onCancel }: Props) {
  const where = useHostChoice(slots, builds);
  const { complete, assign, setAddress, assigned, addresses } = where;
  const options = useRunOptions();
  const start = useStartRun({ errorShownInPlace: true });
  const { byField, rest } = refusals(start.error);

  function submit(event: SubmitEvent) {
    event.preventDefault();
    if (!complete) return;
    start.mutate({ experimentId, body: { ...complete, ...options.body } }, { onSuccess: onStarted });
  }
  function assignAnew(hostOfSlot: Record<string, string>) {
    start.reset();
    assign(hostOfSlot);
  }

  return (
    <form onSubmit={submit} aria-label={t`Run`}>
      <Stack gap="sm">
        <SlotHosts
          slots={slots}
          assigned={assigned}
          addresses={addresses}
          problems={byField}
          onAssign={assignAnew}
          onAddress={setAddress}
        />
        <NginxChoice slots={slots} choice={where} problems={byField} />
        <NoHostNote />
        <PlanPowerNotice experimentId={experimentId} hosts={complete} onStarted={onStarted} />
        <OptionFields options={options} problems={byField} />
        {rest && <ProblemNotice error={rest} />}
        <Buttons isPending={start.isPending} disabled={!complete} onCancel={onCancel} />
      </Stack>
    </form>
  );
}
