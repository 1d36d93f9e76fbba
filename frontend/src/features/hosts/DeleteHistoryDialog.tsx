import { plural, t } from '@lingui/core/macro';
import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { allOf } from '@/api/client';
import type { DeletionUnderWay, HistoryPart, HostDetail, HostHistory } from '@/api/generated';
import { deleteHostHistoryMutation, getHostHistoryOptions, getHostHistoryQueryKey } from '@/api/generated';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { QueryView } from '@/components/ui/QueryView';
import { formatBytes } from '@/lib/format';

interface DeleteHistoryFormProps {
  host: Pick<HostDetail, 'id' | 'name'>;
  history: HostHistory;
  onClose: () => void;
}

const NOTHING_SPARED = { verdicts: false, starred: false, shared: false, others: false };

function losses(name: string, verdicts: boolean): string {
  return verdicts
    ? t`The runs on ${name} that are over are deleted for good, with their charts, verdicts, reports, notes and kept files. There is no undo.`
    : t`Raw data of the runs on ${name} that are over is deleted for good: charts over time go; verdicts, figures and kept files stay. There is no undo.`;
}

function also(sparing: Sparing, runs: number): string {
  if (sparing === 'starred') return plural(runs, { one: 'Also # starred run', other: 'Also # starred runs' });
  if (sparing === 'shared')
    return plural(runs, { one: 'Also # run that links show', other: 'Also # runs that links show' });
  return plural(runs, { one: 'Also # run with other hosts', other: 'Also # runs with other hosts' });
}

interface ChoiceProps {
  parts: readonly HistoryPart[];
  choice: Choice;
  onChange: (choice: Choice) => void;
}

function Choices({ parts, choice, onChange }: ChoiceProps) {
  const offered = SPARING.filter((sparing) => spared(parts, sparing, choice) > 0);
  return (
    <Stack gap="xs">
      <Checkbox
        label={t`Delete the runs themselves, and the calibrations of this host`}
        checked={choice.verdicts}
        onChange={(event) => onChange({ ...choice, verdicts: event.currentTarget.checked })}
      />
      {offered.map((sparing) => (
        <Checkbox
          key={sparing}
          label={also(sparing, spared(parts, sparing, choice))}
          description={sparing === 'shared' && choice.verdicts ? t`These links stop working.` : undefined}
          checked={choice[sparing]}
          onChange={(event) => onChange({ ...choice, [sparing]: event.currentTarget.checked })}
        />
      ))}
    </Stack>
  );
}

function AmountLine({ parts, choice }: Omit<ChoiceProps, 'onChange'>) {
  const { runs, bytes } = chosen(parts, choice);
  const raw = formatBytes(bytes);
  return (
    <Text size="sm" role="status">
      {plural(runs, { one: `# run, ${raw} of raw data`, other: `# runs, ${raw} of raw data` })}
    </Text>
  );
}

/** Says what is lost, and asks for the host's name. */
function DeleteHistoryForm({ host, history, onClose }: DeleteHistoryFormProps) {
  const [choice, setChoice] = useState<Choice>(NOTHING_SPARED);
  const [typed, setTyped] = useState('');
  const queryClient = useQueryClient();
  const path = { host_id: host.id };
  const remove = useMutation({
    ...deleteHostHistoryMutation(),
    meta: { errorShownInPlace: true },
    onSuccess: (after) => {
      queryClient.setQueryData(getHostHistoryQueryKey({ path }), after);
      void queryClient.invalidateQueries({ queryKey: allOf('runs'), refetchType: 'none' });
    },
  });
  const { name } = host;
  const { parts } = history;
  const isAnything = chosen(parts, choice).runs > 0 || (choice.verdicts && history.calibrations > 0);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    remove.mutate({ path, query: { name: typed, ...choice } });
  };
  return (
    <Stack component="form" gap="md" onSubmit={submit}>
      <Text size="sm">{losses(name, choice.verdicts)}</Text>
      <Choices parts={parts} choice={choice} onChange={setChoice} />
      <AmountLine parts={parts} choice={choice} />
      <TextInput
        label={t`Type ${name} to confirm`}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        autoComplete="off"
      />
      {remove.error && <ProblemNotice error={remove.error} />}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose}>
          {t`Cancel`}
        </Button>
        <Button type="submit" color="red" loading={remove.isPending} disabled={typed !== name || !isAnything}>
          {t`Delete history`}
        </Button>
      </Group>
    </Stack>
  );
}

/** Reasons that spare a run, unless the reader includes them. */
export const SPARING = ['starred', 'shared', 'others'] as const;
export type Sparing = (typeof SPARING)[number];
/** `verdicts`: the runs themselves, not only their raw data. */
export type Choice = Record<Sparing | 'verdicts', boolean>;

interface Amount {
  runs: number;
  bytes: number;
}

/** The runs that a choice deletes, and their raw data. */
export function chosen(parts: readonly HistoryPart[], choice: Choice): Amount {
  const taken = parts.filter(
    (part) => (choice.verdicts || part.raw) && SPARING.every((sparing) => choice[sparing] || !part[sparing]),
  );
  return {
    runs: taken.reduce((sum, part) => sum + part.runs, 0),
    bytes: taken.reduce((sum, part) => sum + part.raw_bytes, 0),
  };
}

/** The number of runs that a reason spares, alone or together with others. */
export function spared(parts: readonly HistoryPart[], sparing: Sparing, choice: Choice): number {
  const own = parts.filter((part) => part[sparing] && (choice.verdicts || part.raw));
  return own.reduce((sum, part) => sum + part.runs, 0);
}

interface Props {
  host: Pick<HostDetail, 'id' | 'name'>;
  onClose: () => void;
}

function UnderWay({ deletion }: { deletion: DeletionUnderWay }) {
  return (
    <Stack gap="md">
      <Text size="sm" role="status">
        {plural(deletion.runs_left, {
          one: 'It is being deleted: # run is left.',
          other: 'It is being deleted: # runs are left.',
        })}
      </Text>
      <Text size="sm" c="var(--text-dim)">
        {t`It goes on in the background, slowly while anything is measured. You may close this.`}
      </Text>
    </Stack>
  );
}

const UNDER_WAY_MS = 2000;

/** Deletes what was measured on a host, as far as somebody wants, once its name is typed. */
export function DeleteHistoryDialog({ host, onClose }: Props) {
  const query = useQuery({
    ...getHostHistoryOptions({ path: { host_id: host.id } }),
    refetchInterval: ({ state }) => (state.data?.deletion ? UNDER_WAY_MS : false),
  });
  return (
    <QueryView query={query} skeleton={[160]}>
      {(history) =>
        history.deletion ? (
          <UnderWay deletion={history.deletion} />
        ) : (
          <DeleteHistoryForm host={host} history={history} onClose={onClose} />
        )
      }
    </QueryView>
  );
}
