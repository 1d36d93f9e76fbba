import { t } from '@lingui/core/macro';
import { Button, Stack } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconCircleDashed, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import type { NeedInfo, NeedResult } from '@/api/generated';
import { useHosts } from '@/api/hosts';
import { HostSelect } from '@/components/hosts/HostSelect';
import { NginxChoice } from '@/components/hosts/NginxChoice';
import { SlotHosts } from '@/components/hosts/SlotHosts';
import type { HostChoice } from '@/components/hosts/useHostChoice';
import { Dim } from '@/components/ui/Dim';
import { ServerText } from '@/components/ui/language/ServerText';
import { Panel } from '@/components/ui/Panel';
import type { Slot } from '@/domain/slots';
import { languageOf, said, translation } from '@/lib/language/serverText';
import classes from './WherePanel.module.css';

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

/** What the hosts must or should have, what they do have, and what to do about the rest. */
function NeedsList({ needs }: { needs: readonly Need[] }) {
  if (needs.length === 0) return <Dim>{t`No special requirements.`}</Dim>;
  return (
    <ul className={classes.needs} aria-label={t`Needs`}>
      {needs.map((need) => (
        <NeedItem key={`${need.slot} ${need.what}`} need={need} />
      ))}
    </ul>
  );
}

const NO_PROBLEMS = new Map<string, string>();

/** One host for everything, or a host for each part. */
function HostChoicePanel({ slots, choice }: { slots: readonly Slot[]; choice: HostChoice }) {
  const [apart, setApart] = useState(false);
  const { data: hosts } = useHosts();
  const everything = (host: string) => Object.fromEntries(slots.map(({ slot }) => [slot, host]));
  if (hosts?.length === 0) return <Dim>{t`No host is registered yet. Add one on the Hosts page.`}</Dim>;
  if (apart)
    return (
      <Stack gap="xs">
        <SlotHosts
          slots={slots}
          assigned={choice.assigned}
          addresses={choice.addresses}
          problems={NO_PROBLEMS}
          onAssign={choice.assign}
          onAddress={choice.setAddress}
        />
        <NginxChoice slots={slots} choice={choice} problems={NO_PROBLEMS} />
      </Stack>
    );
  return (
    <>
      <HostSelect
        value={choice.assigned[slots[0]?.slot ?? ''] ?? null}
        onChange={(host) => host && choice.assign(everything(host))}
      />
      <NginxChoice slots={slots} choice={choice} problems={NO_PROBLEMS} />
      {slots.length > 1 && (
        <Button variant="subtle" color="gray" size="compact-xs" mt={4} onClick={() => setApart(true)}>
          {t`Use another host for each part`}
        </Button>
      )}
    </>
  );
}

interface Props {
  slots: readonly Slot[];
  choice: HostChoice;
  /** With results where hosts have been checked. */
  needs: readonly Need[];
}

/** Where to run, and whether those hosts have what the template needs. */
export function WherePanel({ slots, choice, needs }: Props) {
  return (
    <Panel title={t`Where`}>
      <div className={classes.where}>
        <div>
          <HostChoicePanel slots={slots} choice={choice} />
        </div>
        <NeedsList needs={needs} />
      </div>
    </Panel>
  );
}
