import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Group, NumberInput, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { modals } from '@mantine/modals';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { unwrap } from '@/api/client';
import { type Definition, getPlanPower, type PowerRequest, type RunDetail } from '@/api/generated';
import { useHosts } from '@/api/hosts';
import { useStartCalibration, useStartRun } from '@/api/runs';
import { NginxChoice } from '@/components/hosts/NginxChoice';
import { SlotHosts } from '@/components/hosts/SlotHosts';
import { useHostChoice } from '@/components/hosts/useHostChoice';
import { Dim } from '@/components/ui/Dim';
import { ServerText } from '@/components/ui/language/ServerText';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { buildsOfDefinition } from '@/domain/builds';
import { type Slot, slotsOfDefinition } from '@/domain/slots';
import { said } from '@/lib/language/serverText';
import { ApiProblem } from '@/lib/problem';

interface PlanPowerNoticeProps {
  experimentId: string;
  /** The hosts of the run, once every slot has one. */
  hosts: Pick<PowerRequest, 'hosts' | 'addresses' | 'nginx'> | null;
  onStarted: (run: RunDetail) => void;
}

/** Measure the noise of these hosts by an ordinary run of the baseline against itself. */
function CalibrateInstead({ experimentId, hosts, onStarted }: PlanPowerNoticeProps) {
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
        <Dim size="xs">
          <Trans>
            A calibration runs the baseline against itself in 5 blocks. It measures the noise of these hosts.
          </Trans>
        </Dim>
      </Group>
      {calibration.error && <ProblemNotice error={calibration.error} />}
    </>
  );
}

/** The power of a plan on these hosts. It is a POST only because of its body, and changes nothing, so it is a query. */
function usePlanPower(experimentId: string, body: PowerRequest | null) {
  const path = { experiment_id: experimentId };
  return useQuery({
    queryKey: ['plan-power', experimentId, body],
    queryFn: ({ signal }) => unwrap(getPlanPower({ path, body: body ?? {}, signal, throwOnError: true })),
    placeholderData: keepPreviousData,
    enabled: body !== null,
  });
}

/** What the plan can find on these hosts, how many blocks find a wanted effect, and a way to calibrate the hosts. */
function PlanPowerNotice({ experimentId, hosts, onStarted }: PlanPowerNoticeProps) {
  const [wanted, setWanted] = useState<string | number>('');
  const [effect] = useDebouncedValue(wanted === '' ? null : Number(wanted), 300);
  const power = usePlanPower(experimentId, hosts && { ...hosts, effect_percent: effect });
  if (!hosts || power.isError) return null;
  if (!power.data) return <Skeleton height={36} />;
  const { text, unknown, source, arms, warnings = [], expected = [] } = power.data;
  return (
    <Stack gap="xs" component="section" aria-label={t`What the plan can find`}>
      {warnings.length > 0 && (
        <Alert color="yellow" variant="light" title={t`Before you start: it may not be what you mean`}>
          {warnings.map(({ field, message }) => (
            <div key={`${field}:${message}`} lang="en">
              {message}
            </div>
          ))}
        </Alert>
      )}
      <Text size="sm" aria-live="polite">
        <ServerText text={text} />
      </Text>
      {expected.map((one) => (
        <Text size="sm" key={said(one)}>
          <ServerText text={one} />
        </Text>
      ))}
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

interface Props {
  experimentId: string;
  slots: readonly Slot[];
  /** The names by which arms refer to builds of nginx. */
  builds?: readonly string[];
  onStarted: (run: RunDetail) => void;
  onCancel: () => void;
}

/** The server's refusals by field; the rest is for the whole form. */
function refusals(error: Error | null): { byField: Map<string, string>; rest: Error | null } {
  const fields = error instanceof ApiProblem ? error.fields : [];
  const known = fields.filter(({ field }) => /^(hosts|addresses|nginx)\.|^(note|seed)$/.test(field));
  const byField = new Map(known.map(({ field, message }) => [field, message]));
  return { byField, rest: error && known.length === 0 ? error : null };
}

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
    <Dim>
      <Trans>No host is registered yet. Add one on the Hosts page.</Trans>
    </Dim>
  ) : null;
}

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
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>{t`Cancel`}</Button>
          <Button type="submit" loading={start.isPending} disabled={!complete}>{t`Start run`}</Button>
        </Group>
      </Stack>
    </form>
  );
}

interface Options {
  experimentId: string;
  definition: Pick<Definition, 'factors' | 'nginx' | 'streams' | 'upstream_servers'>;
  title?: string;
  onStarted: (run: RunDetail) => void;
}

export function openRunDialog({ experimentId, definition, title = t`Run`, onStarted }: Options): void {
  const id = modals.open({
    title,
    children: (
      <RunForm
        experimentId={experimentId}
        slots={slotsOfDefinition(definition)}
        builds={buildsOfDefinition(definition)}
        onCancel={() => modals.close(id)}
        onStarted={(run) => {
          modals.close(id);
          onStarted(run);
        }}
      />
    ),
  });
}
