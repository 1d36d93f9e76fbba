import { t } from '@lingui/core/macro';
import { ActionIcon, Anchor, Button, Checkbox } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { Link } from 'react-router';
import type { ComparedArm, ComparedRun, RunComparison } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { Panel } from '@/components/ui/Panel';
import { Tag } from '@/components/ui/Tag';
import { RelativeTime } from '@/components/ui/Time';
import { named, said } from '@/lib/language/serverText';
import { RunPicker } from './RunPicker';
import classes from './RunsPanel.module.css';
import { type Asked, commonRefusal } from './useAsked';

/** A run's hosts and time, and cautions about it. */
function RunFacts({ run }: { run: ComparedRun }) {
  const { version } = run;
  const unusable = run.unusable && said(run.unusable);
  const hosts = [...new Set(run.hosts)].join(', ');
  return (
    <>
      <p className={classes.facts}>
        {t`version ${version}, on ${hosts}`}
        {run.started_at && (
          <>
            , <RelativeTime iso={run.started_at} />
          </>
        )}
        {run.note && `, “${run.note}”`}
      </p>
      <p className={classes.facts}>
        {unusable ? t`Not comparable: ${unusable}.` : <ServerText text={run.qualification} />}
      </p>
    </>
  );
}

/** What is asked for, and a way to ask for something else. */
export interface Change {
  asked: Asked;
  ask: (changes: Partial<Asked>) => void;
}

interface Props {
  comparison: RunComparison;
  /** Missing where there is nothing to change. */
  change?: Change;
}

/** The arms that stay if one is chosen or left out. All of them are written as none. */
function toggled(all: readonly ComparedArm[], asked: Asked, key: string): string[] {
  const isWanted = ({ key: own, arm }: ComparedArm) =>
    asked.arms.length === 0 || asked.arms.includes(own) || asked.arms.includes(arm);
  const next = all.filter((one) => isWanted(one) !== (one.key === key)).map((one) => one.key);
  return next.length === all.length ? [] : next;
}

/** Why an arm is not compared, where the reason is not that of all arms. */
function Refusal({ arm, comparison }: { arm: ComparedArm; comparison: RunComparison }) {
  const refused = arm.refused && said(arm.refused);
  if (!refused || commonRefusal(comparison)) return null;
  return <p className={classes.refused}>{t`Cannot be compared: ${refused}.`}</p>;
}

/** An arm to choose; where nothing can be changed, one that was chosen. */
function Arm({ arm, comparison, change }: Props & { arm: ComparedArm }) {
  const isBase = comparison.arms.some(({ against }) => against === arm.key);
  const label = (
    <>
      {named(arm.label)} {isBase && <Tag>{t`baseline`}</Tag>}
    </>
  );
  return (
    <li>
      {change ? (
        <Checkbox
          size="xs"
          checked={arm.selected}
          disabled={isBase}
          onChange={() => change.ask({ arms: toggled(comparison.arms, change.asked, arm.key) })}
          label={label}
        />
      ) : (
        label
      )}
      <Refusal arm={arm} comparison={comparison} />
    </li>
  );
}

function LeaveOut({ run: { id, label }, change: { asked, ask } }: { run: ComparedRun; change: Change }) {
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="sm"
      aria-label={t`Leave out ${label}`}
      onClick={() => ask({ runs: asked.runs.filter((other) => other !== id) })}
    >
      <IconX size={14} />
    </ActionIcon>
  );
}

function RunCard({ run, ...props }: Props & { run: ComparedRun }) {
  const { comparison, change } = props;
  const { label } = run;
  const name = `${run.experiment_name} #${run.number}`;
  const isBase = comparison.baseline === run.id;
  const arms = comparison.arms.filter(({ run_id, selected }) => run_id === run.id && (change || selected));
  return (
    <li className={classes.run}>
      <div className={classes.head}>
        {change ? (
          <Anchor component={Link} to={`/runs/${run.id}/report`} fw={600}>
            {name}
          </Anchor>
        ) : (
          <b>{name}</b>
        )}
        {change && <LeaveOut run={run} change={change} />}
      </div>
      <RunFacts run={run} />
      {isBase && <Tag>{t`baseline`}</Tag>}
      {change && !isBase && (
        <Button variant="default" size="compact-xs" onClick={() => change.ask({ baseline: run.id })}>
          {t`Make it the baseline`}
        </Button>
      )}
      <ul className={classes.arms} aria-label={t`Arms of ${label}`}>
        {arms.map((arm) => (
          <Arm key={arm.key} arm={arm} {...props} />
        ))}
      </ul>
    </li>
  );
}

/** Which runs, which arms of them, against which baseline. */
export function RunsPanel(props: Props) {
  const { comparison, change } = props;
  return (
    <Panel title={t`Runs`} note={t`Each arm is compared with the arm of the same name in the baseline run.`}>
      <ul className={classes.runs}>
        {comparison.runs.map((run) => (
          <RunCard key={run.id} run={run} {...props} />
        ))}
        {change && (
          <li className={classes.add}>
            <RunPicker
              experimentId={comparison.runs[0]?.experiment_id ?? null}
              chosen={change.asked.runs}
              onChoose={(id) => change.ask({ runs: [...change.asked.runs, id] })}
            />
          </li>
        )}
      </ul>
    </Panel>
  );
}
