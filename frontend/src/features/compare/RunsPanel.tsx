import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Anchor, Button, Checkbox } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { Link } from 'react-router';
import type { ComparedArm, ComparedRun, RunComparison } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { Panel } from '@/components/ui/Panel';
import { Tag } from '@/components/ui/Tag';
import { RelativeTime } from '@/components/ui/Time';
import { RunPicker } from './RunPicker';
import classes from './RunsPanel.module.css';
import type { Asked } from './useAsked';
import { commonRefusal } from './useAsked';

/** A run's hosts and time, and cautions about it. */
export function RunFacts({ run }: { run: ComparedRun }) {
  const { version, unusable } = run;
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

interface Props {
  comparison: RunComparison;
  asked: Asked;
  ask: (changes: Partial<Asked>) => void;
}

/** The arms that stay if one is chosen or left out. All of them are written as none. */
function toggled(all: readonly ComparedArm[], asked: Asked, key: string): string[] {
  const isWanted = ({ key: own, arm }: ComparedArm) =>
    asked.arms.length === 0 || asked.arms.includes(own) || asked.arms.includes(arm);
  const next = all.filter((one) => isWanted(one) !== (one.key === key)).map((one) => one.key);
  return next.length === all.length ? [] : next;
}

function ArmChoice({ arm, props: { comparison, asked, ask } }: { arm: ComparedArm; props: Props }) {
  const { refused } = arm;
  const isBase = comparison.arms.some(({ against }) => against === arm.key);
  return (
    <li>
      <Checkbox
        size="xs"
        checked={arm.selected}
        disabled={isBase}
        onChange={() => ask({ arms: toggled(comparison.arms, asked, arm.key) })}
        label={
          <>
            {arm.label} {isBase && <Tag>{t`baseline`}</Tag>}
          </>
        }
      />
      {refused && !commonRefusal(comparison) && (
        <p className={classes.refused}>{t`Cannot be compared: ${refused}.`}</p>
      )}
    </li>
  );
}

function LeaveOut({ run, props: { asked, ask } }: { run: ComparedRun; props: Props }) {
  const { label } = run;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="sm"
      aria-label={t`Leave out ${label}`}
      onClick={() => ask({ runs: asked.runs.filter((id) => id !== run.id) })}
    >
      <IconX size={14} />
    </ActionIcon>
  );
}

function RunCard({ run, props }: { run: ComparedRun; props: Props }) {
  const { comparison, ask } = props;
  const { label } = run;
  return (
    <li className={classes.run}>
      <div className={classes.head}>
        <Anchor component={Link} to={`/runs/${run.id}/report`} fw={600}>
          {run.experiment_name} #{run.number}
        </Anchor>
        <LeaveOut run={run} props={props} />
      </div>
      <RunFacts run={run} />
      {comparison.baseline === run.id ? (
        <Tag>{t`baseline`}</Tag>
      ) : (
        <Button variant="default" size="compact-xs" onClick={() => ask({ baseline: run.id })}>
          <Trans>Make it the baseline</Trans>
        </Button>
      )}
      <ul className={classes.arms} aria-label={t`Arms of ${label}`}>
        {comparison.arms
          .filter(({ run_id }) => run_id === run.id)
          .map((arm) => (
            <ArmChoice key={arm.key} arm={arm} props={props} />
          ))}
      </ul>
    </li>
  );
}

/** Which runs, which arms of them, against which baseline. */
export function RunsPanel(props: Props) {
  const { comparison, asked, ask } = props;
  const experiment = comparison.runs[0]?.experiment_id ?? null;
  return (
    <Panel title={t`Runs`} note={t`Each arm is compared with the arm of the same name in the baseline run.`}>
      <ul className={classes.runs}>
        {comparison.runs.map((run) => (
          <RunCard key={run.id} run={run} props={props} />
        ))}
        <li className={classes.add}>
          <RunPicker
            experimentId={experiment}
            chosen={asked.runs}
            onChoose={(id) => ask({ runs: [...asked.runs, id] })}
          />
        </li>
      </ul>
    </Panel>
  );
}
