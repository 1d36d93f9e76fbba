import { plural, t } from '@lingui/core/macro';
import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { HistoryPart, HostDetail, HostHistory } from '@/api/generated';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { formatBytes } from '@/lib/format';
import { useDeleteHostHistory } from '../api/useDeleteHostHistory';
import { type Choice, chosen, SPARING, type Sparing, spared } from './chosen';

interface Props {
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

function Amount({ parts, choice }: Omit<ChoiceProps, 'onChange'>) {
  const { runs, bytes } = chosen(parts, choice);
  const raw = formatBytes(bytes);
  return (
    <Text size="sm" role="status">
      {plural(runs, { one: `# run, ${raw} of raw data`, other: `# runs, ${raw} of raw data` })}
    </Text>
  );
}

/** Says what is lost, and asks for the host's name. */
export function DeleteHistoryForm({ host, history, onClose }: Props) {
  const [choice, setChoice] = useState<Choice>(NOTHING_SPARED);
  const [typed, setTyped] = useState('');
  const remove = useDeleteHostHistory(host.id);
  const { name } = host;
  const { parts } = history;
  const isAnything = chosen(parts, choice).runs > 0 || (choice.verdicts && history.calibrations > 0);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    remove.mutate({ name: typed, ...choice });
  };
  return (
    <Stack component="form" gap="md" onSubmit={submit}>
      <Text size="sm">{losses(name, choice.verdicts)}</Text>
      <Choices parts={parts} choice={choice} onChange={setChoice} />
      <Amount parts={parts} choice={choice} />
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
