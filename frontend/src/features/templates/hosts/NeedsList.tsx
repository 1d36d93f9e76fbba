import { t } from '@lingui/core/macro';
import { Skeleton, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconCircleDashed, IconX } from '@tabler/icons-react';
import type { NeedInfo, NeedResult } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { languageOf, said, translation } from '@/lib/language/serverText';
import classes from './NeedsList.module.css';

type Need = NeedInfo & Partial<NeedResult>;

function toneOf({ ok, must }: Need): 'unknown' | 'ok' | 'missing' | 'weaker' {
  if (ok === undefined) return 'unknown';
  if (ok) return 'ok';
  return must ? 'missing' : 'weaker';
}

const marks = () => ({
  unknown: { icon: IconCircleDashed, label: t`not checked` },
  ok: { icon: IconCheck, label: t`available` },
  missing: { icon: IconX, label: t({ message: 'missing', context: 'on a host' }) },
  weaker: { icon: IconAlertTriangle, label: t`missing, but optional` },
});

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
        {t`No special requirements.`}
      </Text>
    );
  return (
    <ul className={classes.needs} aria-label={t`Needs`}>
      {needs.map((need) => (
        <NeedItem key={`${need.slot} ${need.what}`} need={need} />
      ))}
    </ul>
  );
}

function NeedItem({ need }: { need: Need }) {
  const { slot, host, what, why, must, detail = '', remedy } = need;
  const told = said(detail);
  const tone = toneOf(need);
  const { icon: Mark, label } = marks()[tone];
  return (
    <li data-tone={tone}>
      <Mark size={15} stroke={2} aria-label={label} role="img" />
      <div title={said(why)}>
        <b>
          <ServerText text={translation(what) ? what : what.charAt(0).toUpperCase() + what.slice(1)} />
        </b>
        {host ? (
          <span lang={languageOf(detail)}>{t`${host}: ${told}`}</span>
        ) : (
          <span>{must ? t`for ${slot}` : t`for ${slot}, if possible`}</span>
        )}
        {tone !== 'ok' && <ServerText text={why} />}
        {tone === 'weaker' && <span>{t`You can run without it: the report then shows less.`}</span>}
        {remedy && (
          <span className={classes.remedy}>
            <ServerText text={remedy} />
          </span>
        )}
      </div>
    </li>
  );
}
