import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Stack, Text, Title } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import {
  getTrialMomentOptions,
  type MomentEvent,
  type MomentJump,
  type SeriesInfo,
  type TrialMoment,
} from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { QueryView } from '@/components/ui/QueryView';
import { describeAction } from '@/domain/actions';
import { formatOffset, formatValue, range } from '@/lib/format';
import { said } from '@/lib/language/serverText';
import classes from './LiveCharts.module.css';

const WITHIN_S = 2;

interface Happened {
  t: number;
  key: string;
  when: string;
  what: ReactNode;
}

/** nginx's log tells whole seconds only. */
const timeOf = ({ t_s, until_s }: MomentEvent) =>
  until_s > t_s ? range(formatOffset(t_s), formatOffset(until_s)) : formatOffset(t_s);

function eventWords({ kind, text }: MomentEvent): ReactNode {
  return kind === 'log' ? <code>{said(text)}</code> : <ServerText text={text} />;
}

/** Actions of perturbations, and what else was reported, by time. */
function happenedIn({ actions, events }: TrialMoment): Happened[] {
  const acts = actions.map((mark) => ({
    t: mark.t_s,
    key: `${mark.host} ${mark.perturbation} ${mark.number}`,
    when: formatOffset(mark.t_s),
    what: describeAction(mark),
  }));
  const others = events.map((event, place) => ({
    t: event.t_s,
    key: `${place}`,
    when: timeOf(event),
    what: eventWords(event),
  }));
  return [...acts, ...others].sort((a, b) => a.t - b.t);
}

function Jump({ jump, catalogue }: { jump: MomentJump; catalogue: readonly SeriesInfo[] }) {
  const info = catalogue.find(({ key }) => key === jump.key);
  const name = [info ? said(info.title) : jump.key, jump.label].filter(Boolean).join(': ');
  const [value, usual] = [formatValue(jump.value, jump.unit), formatValue(jump.usual, jump.unit)];
  return (
    <>
      {name}
      <span className={classes.value}>
        <Trans>
          <b>{value}</b>, else {usual}
        </Trans>
      </span>
    </>
  );
}

function List({ title, none, children }: { title: string; none: string; children: ReactNode[] }) {
  return (
    <section aria-label={title}>
      <Title order={3} size="sm" mb={4}>
        {title}
      </Title>
      {children.length > 0 ? (
        <ul className={classes.moment}>{children}</ul>
      ) : (
        <Text size="sm" c="var(--text-dim)">
          {none}
        </Text>
      )}
    </section>
  );
}

interface Props {
  trialId: string;
  at: number;
  catalogue: readonly SeriesInfo[];
}

/** What happened around a moment of a trial: reports and log lines, and which lines of charts stood out. */
function Moment({ trialId, at, catalogue }: Props) {
  const query = { at, within: WITHIN_S };
  const moment = useQuery(getTrialMomentOptions({ path: { trial_id: trialId }, query }));
  return (
    <QueryView query={moment} skeleton={[90, 140]}>
      {(found) => (
        <Stack gap="md">
          <List
            title={t`What was reported`}
            none={found.unknown.length > 0 ? t`Nothing, as far as is known.` : t`Nothing was.`}
          >
            {happenedIn(found).map(({ key, when, what }) => (
              <li key={key}>
                <time>{when}</time>
                <span>{what}</span>
              </li>
            ))}
          </List>
          {found.unknown.map((text) => (
            <Text key={said(text)} size="sm" c="var(--text-dim)">
              <ServerText text={text} />
            </Text>
          ))}
          <List title={t`What stood out`} none={t`No line of a chart did.`}>
            {found.jumps.map((jump) => (
              <li key={`${jump.key} ${jump.label}`}>
                <time>{formatOffset(jump.t_s)}</time>
                <span>
                  <Jump jump={jump} catalogue={catalogue} />
                </span>
              </li>
            ))}
          </List>
          <Text size="xs" c="var(--text-dim)">
            <Trans>
              Within 2 s before and after. A line stands out that is farther from its median than at any other
              time within 20 s. What happens at the same time need not be the cause.
            </Trans>
          </Text>
        </Stack>
      )}
    </QueryView>
  );
}

/** Beside a pinned moment of a trial: what happened then. */
export function MomentButton(props: Props) {
  const time = formatOffset(props.at);
  const open = () => modals.open({ size: 'lg', title: t`Around ${time}`, children: <Moment {...props} /> });
  return (
    <Button size="compact-sm" variant="default" onClick={open}>
      <Trans>What happened then</Trans>
    </Button>
  );
}
