import { plural, t } from '@lingui/core/macro';
import { Alert, Button, NumberInput, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Conversion, ConvertedConfiguration } from '@/api/generated';
import { PlanTimeline } from '@/components/experiments/PlanTimeline';
import { ServerText } from '@/components/ui/language/ServerText';
import { Panel } from '@/components/ui/Panel';
import { english, said } from '@/lib/language/serverText';
import { isOneQuestion, serverFieldId, WORKERS_FIELD_ID } from './Assumed';
import { ConvertedLines } from './ConvertedLines';
import classes from './OwnConfigurationPage.module.css';
import type { Answers } from './useConversion';

interface Props {
  made: Conversion;
  answers: Answers;
  onAnswers: (answers: Answers) => void;
}

function ServerChoice({
  one,
  label,
  id,
  onChoose,
}: {
  one: ConvertedConfiguration;
  label: string;
  id: string;
  onChoose: (number: number) => void;
}) {
  if (one.servers.length < 2) return null;
  return (
    <Select
      id={id}
      label={label}
      w="min(360px, 100%)"
      allowDeselect={false}
      data={one.servers.map(({ number, title }) => ({ value: String(number), label: title }))}
      value={String(one.server)}
      onChange={(value) => value !== null && onChoose(Number(value))}
    />
  );
}

/** One choice for all configurations where they have the same blocks, else one for each. */
function ServerChoices({ made: { configurations }, answers, onAnswers }: Props) {
  const isOne = isOneQuestion(configurations);
  const choose = (place: number, number: number) =>
    onAnswers({
      ...answers,
      servers: answers.servers.map((old, at) => (isOne || at === place ? number : old)),
    });
  return (isOne ? configurations.slice(0, 1) : configurations).map((one, place) => {
    const { name } = one;
    return (
      <ServerChoice
        key={name}
        one={one}
        label={isOne ? t`Server block that gets the load` : t`Server block of ${name} that gets the load`}
        id={serverFieldId(place)}
        onChoose={(number) => choose(place, number)}
      />
    );
  });
}

/** What was chosen without being asked for: each can be changed, and all is made again. */
function Questions({ made, answers, onAnswers }: Props) {
  const [path, setPath] = useState(answers.path ?? made.path);
  const [workers, setWorkers] = useState<number | string>(answers.workers ?? made.workers);
  return (
    <form
      className={classes.answers}
      onSubmit={(event) => {
        event.preventDefault();
        const changed = { path: path === made.path ? answers.path : path };
        onAnswers({ ...answers, ...changed, workers: Number(workers) || null });
      }}
    >
      <ServerChoices made={made} answers={answers} onAnswers={onAnswers} />
      <TextInput
        label={t`The load asks for`}
        value={path}
        onChange={({ currentTarget: { value } }) => setPath(value)}
      />
      <NumberInput
        id={WORKERS_FIELD_ID}
        label={t`Workers`}
        w={96}
        min={1}
        max={256}
        value={workers}
        onChange={setWorkers}
      />
      <Button type="submit" variant="default">{t`Apply`}</Button>
    </form>
  );
}

function Changes({ made, answers, onAnswers }: Props) {
  if (made.changes.length === 0) return null;
  const groups = new Set(made.changes.map(({ group }) => group)).size;
  return (
    <Panel
      title={t`What differs`}
      note={plural(made.changes.length, { one: '# change', other: '# changes' })}
      actions={
        groups > 1 && (
          <SegmentedControl
            size="xs"
            aria-label={t`Arms`}
            value={answers.arms}
            onChange={(arms) => onAnswers({ ...answers, arms: arms as Answers['arms'] })}
            data={[
              { value: 'together', label: t`Compare the two` },
              { value: 'each', label: t`Each change by itself, too` },
            ]}
          />
        )
      }
    >
      <ul className={classes.changes}>
        {made.changes.map(({ key, title, within }) => (
          <li key={key}>
            <code>{[...within, title].join(' › ')}</code>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

export function countsOf({ kept, replaced, dropped, masked }: ConvertedConfiguration): string {
  const parts = [t`${kept} kept`, t`${replaced} replaced`, t`${dropped} dropped`];
  return [...parts, ...(masked > 0 ? [t`${masked} with a secret taken out`] : [])].join(' · ');
}

function noteOn(configurations: readonly ConvertedConfiguration[], place: number): string {
  const counts = countsOf(configurations[place] as ConvertedConfiguration);
  const before = configurations[place - 1]?.name;
  return before === undefined
    ? counts
    : t`${counts}. What became the same as in ${before} is not shown again.`;
}

export function ConversionResult({ made, answers, onAnswers }: Props) {
  const shared = { made, answers, onAnswers };
  const verdictOn = made.primary.map(({ title }) => said(title)).join(', ');
  return (
    <Stack gap="md">
      <Panel title={t`The experiment`}>
        <Stack gap="sm">
          {made.notes.map((note) => (
            <Alert key={english(note)} color="yellow" variant="light">
              <ServerText text={note} />
            </Alert>
          ))}
          <Questions key={`${made.path} ${made.workers}`} {...shared} />
          <Text size="sm">{t`The verdict is about: ${verdictOn}.`}</Text>
          <PlanTimeline plan={made.plan} />
        </Stack>
      </Panel>
      <Changes {...shared} />
      {made.configurations.map((one, place) => (
        <Panel key={one.name} title={one.name} note={noteOn(made.configurations, place)} flush>
          <ConvertedLines lines={one.lines} name={one.name} before={made.configurations[place - 1]?.lines} />
        </Panel>
      ))}
    </Stack>
  );
}
