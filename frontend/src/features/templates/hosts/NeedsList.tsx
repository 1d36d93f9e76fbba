import { Skeleton, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconCircleDashed, IconX } from '@tabler/icons-react';
import type { NeedInfo, NeedResult } from '@/api/generated';
import classes from './NeedsList.module.css';

type Need = NeedInfo & Partial<NeedResult>;

function toneOf({ ok, must }: Need): 'unknown' | 'ok' | 'missing' | 'weaker' {
  if (ok === undefined) return 'unknown';
  if (ok) return 'ok';
  return must ? 'missing' : 'weaker';
}

const MARKS = {
  unknown: { icon: IconCircleDashed, label: 'not checked' },
  ok: { icon: IconCheck, label: 'available' },
  missing: { icon: IconX, label: 'missing' },
  weaker: { icon: IconAlertTriangle, label: 'missing, but optional' },
};

interface Props {
  /** With results where hosts have been checked. */
  needs: readonly Need[] | undefined;
}

/** What the hosts must or should have, what they do have, and what to do about the rest. */
export function NeedsList({ needs }: Props) {
  if (!needs) return <Skeleton height={60} />;
  if (needs.length === 0)
    return (
      <Text size="sm" c="var(--text-dim)">
        No special requirements.
      </Text>
    );
  return (
    <ul className={classes.needs} aria-label="Needs">
      {needs.map((need) => {
        const tone = toneOf(need);
        const { icon: Mark, label } = MARKS[tone];
        return (
          <li key={`${need.slot} ${need.what}`} data-tone={tone}>
            <Mark size={15} stroke={2} aria-label={label} role="img" />
            <div title={need.why}>
              <b>
                {need.what.charAt(0).toUpperCase()}
                {need.what.slice(1)}
              </b>
              <span>
                {need.host
                  ? `${need.host}: ${need.detail}`
                  : `for ${need.slot}${need.must ? '' : ', if possible'}`}
              </span>
              {tone !== 'ok' && <span>{need.why}</span>}
              {need.remedy && <span className={classes.remedy}>{need.remedy}</span>}
            </div>
          </li>
        );
      })}
    </ul>
  );
}
