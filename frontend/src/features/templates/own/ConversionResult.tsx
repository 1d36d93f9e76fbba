import { plural, t } from '@lingui/core/macro';
import { Alert, Button, Group, NumberInput, SegmentedControl, Select, Stack, TextInput } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { useState } from 'react';
import type { Conversion, ConvertedConfiguration } from '@/api/generated';
import { Dim } from '@/components/ui/Dim';
import { ServerText } from '@/components/ui/language/ServerText';
import { Panel } from '@/components/ui/Panel';
import { english } from '@/lib/language/serverText';
import { ConvertedLines } from './ConvertedLines';
import classes from './OwnConfigurationPage.module.css';

/** What a configuration leaves open. `servers`: of the first configuration, and of the second. */
export interface Answers {
  servers: (number | null)[];
  path: string | null;
  workers: number | null;
  arms: 'together' | 'each';
}

interface Props {
  made: Conversion;
  answers: Answers;
  isPending: boolean;
  onAnswers: (answers: Answers) => void;
  onOpen: (made: Conversion) => void;
}

function ServerChoice({
  one,
  onChoose,
}: {
  one: ConvertedConfiguration;
  onChoose: (number: number) => void;
}) {
  const { name } = one;
  if (one.servers.length < 2) return null;
  return (
    <Select
      label={t`Server block of ${name} that gets the load`}
      w={360}
      allowDeselect={false}
      data={one.servers.map(({ number, title }) => ({ value: String(number), label: title }))}
      value={String(one.server)}
      onChange={(value) => value !== null && onChoose(Number(value))}
    />
  );
}

/** What was chosen without being asked for: each can be changed, and all is made again. */
function Questions({ made, answers, onAnswers }: Omit<Props, 'onOpen' | 'isPending'>) {
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
      {made.configurations.map((one, place) => (
        <ServerChoice
          key={one.name}
          one={one}
          onChoose={(number) =>
            onAnswers({
              ...answers,
              servers: answers.servers.map((old, at) => (at === place ? number : old)),
            })
          }
        />
      ))}
      <TextInput
        label={t`The load asks for`}
        value={path}
        onChange={({ currentTarget: { value } }) => setPath(value)}
      />
      <NumberInput label={t`Workers`} w={96} min={1} max={256} value={workers} onChange={setWorkers} />
      <Button type="submit" variant="default">{t`Apply`}</Button>
    </form>
  );
}

function Changes({ made, answers, onAnswers }: Omit<Props, 'onOpen' | 'isPending'>) {
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

function countsOf({ kept, replaced, dropped, masked }: ConvertedConfiguration): string {
  const parts = [t`${kept} kept`, t`${replaced} replaced`, t`${dropped} dropped`];
  return [...parts, ...(masked > 0 ? [t`${masked} with a secret taken out`] : [])].join(' · ');
}

export function ConversionResult({ made, answers, isPending, onAnswers, onOpen }: Props) {
  const shared = { made, answers, onAnswers };
  return (
    <Stack gap="md">
      <Panel
        title={t`The experiment`}
        actions={
          <Button
            rightSection={<IconArrowRight size={15} />}
            loading={isPending}
            onClick={() => onOpen(made)}
          >
            {t`Open in the designer`}
          </Button>
        }
      >
        <Stack gap="sm">
          {made.notes.map((note) => (
            <Alert key={english(note)} color="yellow" variant="light">
              <ServerText text={note} />
            </Alert>
          ))}
          <Questions key={`${made.path} ${made.workers}`} {...shared} />
        </Stack>
      </Panel>
      <Changes {...shared} />
      {made.configurations.map((one) => (
        <Panel key={one.name} title={one.name} note={countsOf(one)} flush>
          <ConvertedLines lines={one.lines} name={one.name} />
        </Panel>
      ))}
      <Group justify="flex-end">
        <Dim>{t`Nothing is saved yet; everything can be changed there.`}</Dim>
        <Button loading={isPending} onClick={() => onOpen(made)}>{t`Open in the designer`}</Button>
      </Group>
    </Stack>
  );
}
