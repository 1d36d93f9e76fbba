import { t } from '@lingui/core/macro';
import { SimpleGrid, Text } from '@mantine/core';
import { useDraft, useValue } from '../../designerContext';
import { ChoiceField } from '../../fields/ChoiceField';
import classes from '../../fields/fields.module.css';
import { NumberField } from '../../fields/NumberField';
import { ProblemLine } from '../../fields/Section';
import { TextField } from '../../fields/TextField';
import type { ActionKind } from '../../model/draft/perturbationDraft';

const help = (): Record<ActionKind, string> => ({
  reload: t`Ends when every worker process is new.`,
  churn: t`Replaces the nodes of the group while nginx runs. Requires dynamic upstreams in nginx.`,
  sync: t`Affects the whole host, so its owner must allow it.`,
  signal: t`STOP is followed by CONT.`,
  http: t`Only to a role of this trial.`,
  'cpu-pressure': t`Runs busy processes on the whole host, so its owner must allow it.`,
  'disk-pressure': t`Writes and syncs files in the trial's folder. The host's owner must allow it.`,
});

const SIGNALS = ['STOP', 'TERM', 'QUIT', 'KILL', 'USR1'];
const receivers = () => [
  { value: 'workers', label: t`all workers` },
  { value: 'worker', label: t`one worker` },
  { value: 'master', label: t`the master` },
  { value: 'all', label: t`master and workers` },
];

/** What an action of this kind needs to know. */
export function ActionFields({ path, kind }: { path: string; kind: ActionKind }) {
  return (
    <ProblemLine path={path} label={t`Action`}>
      {kind === 'churn' && <ChurnFields path={path} />}
      {kind === 'signal' && <SignalFields path={path} />}
      {kind === 'http' && <HttpFields path={path} />}
      {kind === 'cpu-pressure' && (
        <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={classes.top}>
          <NumberField path={`${path}.processes`} label={t`Processes`} />
        </SimpleGrid>
      )}
      {kind === 'disk-pressure' && (
        <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={classes.top}>
          <NumberField path={`${path}.bytes_per_s`} label={t`Writes at most`} unit="B/s" />
        </SimpleGrid>
      )}
      <Text size="xs" c="var(--text-dim)" mt={6}>
        {help()[kind]}
      </Text>
    </ProblemLine>
  );
}

function ChurnFields({ path }: { path: string }) {
  const groups = useDraft((draft) => draft.nginx.upstreams?.groups ?? NO_GROUPS);
  return (
    <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={classes.top}>
      <ChoiceField path={`${path}.group`} label={t`Group`} options={groups.map(({ key }) => key)} />
      <NumberField path={`${path}.timeout_s`} label={t`Timeout`} unit="s" />
    </SimpleGrid>
  );
}

const NO_GROUPS: { key: string }[] = [];

function SignalFields({ path }: { path: string }) {
  const signal = useValue<string>(`${path}.signal`);
  const to = useValue<string>(`${path}.to`);
  return (
    <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={classes.top}>
      <ChoiceField path={`${path}.signal`} label={t`Signal`} options={SIGNALS} />
      <ChoiceField
        path={`${path}.to`}
        label={t({ message: 'To', context: 'receiver' })}
        options={receivers()}
      />
      {to === 'worker' && <NumberField path={`${path}.worker`} label={t`Worker, from 0`} />}
      {signal === 'STOP' && <NumberField path={`${path}.resume_after_s`} label={t`Resumes after`} unit="s" />}
    </SimpleGrid>
  );
}

function HttpFields({ path }: { path: string }) {
  const upstream_servers = useDraft((draft) => draft.upstream_servers);
  const endpoints = [
    { value: 'target', label: t`the target` },
    ...upstream_servers.map(({ key }) => ({ value: `upstream.${key}`, label: t`upstream ${key}` })),
  ];
  return (
    <>
      <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={classes.top}>
        <ChoiceField
          path={`${path}.endpoint`}
          label={t({ message: 'To', context: 'receiver' })}
          options={endpoints}
        />
        <TextField path={`${path}.method`} label={t`Method`} code maxLength={20} />
        <TextField path={`${path}.path`} label={t`Path`} code />
        <NumberField path={`${path}.timeout_s`} label={t`Timeout`} unit="s" />
      </SimpleGrid>
      <TextField path={`${path}.body`} label={t`Body`} rows={2} code empty={null} placeholder={t`none`} />
    </>
  );
}
