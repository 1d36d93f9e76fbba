import { plural, t } from '@lingui/core/macro';
import { Button, Text } from '@mantine/core';
import type { Conversion } from '@/api/generated';
import classes from './OwnConfigurationPage.module.css';
import type { Answers } from './useConversion';

export const serverFieldId = (place: number): string => `own-server-${place}`;
export const WORKERS_FIELD_ID = 'own-workers';

interface Assumption {
  field: string;
  text: string;
}

/** What was chosen without being asked for, and the field that changes it. */
function assumptions({ configurations, questions, workers }: Conversion, { servers }: Answers): Assumption[] {
  const blocks = configurations.flatMap(({ name, server, servers: known }, place) => {
    const title = known.find(({ number }) => number === server)?.title ?? '';
    const of = plural(known.length, { other: 'of # server blocks' });
    return questions.includes('server') && known.length > 1 && servers[place] == null
      ? [{ field: serverFieldId(place), text: t`The load of ${name} goes to ${title}, ${of}.` }]
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
