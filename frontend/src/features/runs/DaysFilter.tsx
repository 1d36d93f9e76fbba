import { t } from '@lingui/core/macro';
import { Select, TextInput } from '@mantine/core';
import { type Days, daysOf, type Period, periodOf } from './periods';

interface Props {
  days: Days;
  onChoose: (days: Days) => void;
  /** Of the usual periods. */
  className?: string | undefined;
}

const periods = (): { value: Period; label: string }[] => [
  { value: 'today', label: t`Today` },
  { value: 'week', label: t`Last 7 days` },
  { value: 'month', label: t`Last 30 days` },
  { value: 'last-month', label: t`Last month` },
];

/** When runs were created: a usual period, or days. */
export function DaysFilter({ days: { since, until }, onChoose, className }: Props) {
  const now = Date.now();
  const isReversed = since !== '' && until !== '' && since > until;
  return (
    <>
      <Select
        className={className}
        label={t`Created (UTC)`}
        placeholder={since || until ? t`Other days` : t`Any`}
        clearable={Boolean(since || until)}
        data={periods()}
        value={periodOf({ since, until }, now)}
        onChange={(period) => onChoose(period ? daysOf(period as Period, now) : { since: '', until: '' })}
      />
      <TextInput
        type="date"
        label={t`From`}
        value={since}
        error={isReversed && t`From is after To`}
        onChange={(event) => onChoose({ since: event.currentTarget.value, until })}
      />
      <TextInput
        type="date"
        label={t`To`}
        value={until}
        onChange={(event) => onChoose({ since, until: event.currentTarget.value })}
      />
    </>
  );
}
