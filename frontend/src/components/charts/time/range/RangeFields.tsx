import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import classes from './range.module.css';
import { rangeBetween, useTimeRange } from './timeRange';

/** The range as two fields: for the keyboard, for fingers, and for who knows the second. */
export function RangeFields() {
  const choice = useTimeRange();
  if (!choice) return null;
  const { whole, range, choose } = choice;
  const [from, to] = range ?? whole;
  const common = {
    type: 'number',
    size: 'xs',
    w: 76,
    min: whole[0],
    max: whole[1],
    step: 0.1,
    required: true,
  };
  const zoom = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget);
    choose(rangeBetween(Number(typed.get('from')), Number(typed.get('to')), whole));
  };
  return (
    <form key={`${from} ${to}`} className={`${classes.fields} no-print`} onSubmit={zoom}>
      <Trans>
        <TextInput {...common} name="from" aria-label={t`Charts from second`} defaultValue={from} />
        to
        <TextInput {...common} name="to" aria-label={t`Charts to second`} defaultValue={to} />s
      </Trans>
      <Button type="submit" size="compact-sm" variant="default">
        <Trans>Zoom</Trans>
      </Button>
    </form>
  );
}
