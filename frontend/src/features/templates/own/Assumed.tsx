import { plural, t } from '@lingui/core/macro';
import { Button, Text } from '@mantine/core';
import type { Conversion, ConvertedConfiguration } from '@/api/generated';
import classes from './OwnConfigurationPage.module.css';
import type { Answers } from './useConversion';

export const serverFieldId = (place: number): string => `own-server-${place}`;
export const WORKERS_FIELD_ID = 'own-workers';

/** Whether all have the same blocks, of which the same gets the load: then it is one question. */
export function isOneQuestion([first, ...others]: readonly ConvertedConfiguration[]): boolean {
  const same = (one: ConvertedConfiguration) =>
    one.server === first?.server && JSON.stringify(one.servers) === JSON.stringify(first.servers);
  return others.length > 0 && others.every(same);
}

interface Assumption {
  field: string;
  text: string;
}

/** What was chosen without being asked for, and the field that changes it. */
function assumptions({ configurations, questions, workers }: Conversion, { servers }: Answers): Assumption[] {
  const isOne = isOneQuestion(configurations);
  const asked = isOne ? configurations.slice(0, 1) : configurations;
  const blocks = asked.flatMap(({ name, server, servers: known }, place) => {
    const title = known.find(({ number }) => number === server)?.title ?? '';
    const of = plural(known.length, { other: 'of # server blocks' });
    const text = isOne
      ? t`The load goes to ${title}, ${of}.`
      : t`The load of ${name} goes to ${title}, ${of}.`;
    return questions.includes('server') && known.length > 1 && servers[place] == null
      ? [{ field: serverFieldId(place), text }]
      : [];
  });
  const count = plural(workers, { one: '# worker', other: '# workers' });
  return questions.includes('workers')
    ? [...blocks, { field: WORKERS_FIELD_ID, text: t`For auto, there is ${count}.` }]
    : blocks;
}

/** It stands beside the button that goes on with it. */
export function Assumed({ made, answers }: { made: Conversion; answers: Answers }) {
  const found = assumptions(made, answers);
  const [first] = found;
  if (!first) return null;
  return (
    <Text size="xs" component="div" className={classes.assumed}>
      <span>
        <strong>{t`Chosen for you:`}</strong> {found.map(({ text }) => text).join(' ')}
      </span>
      <Button
        variant="default"
        size="compact-xs"
        onClick={() => document.getElementById(first.field)?.focus()}
      >
        {t`Change`}
      </Button>
    </Text>
  );
}
