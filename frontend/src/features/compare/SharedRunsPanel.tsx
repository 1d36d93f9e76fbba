import { t } from '@lingui/core/macro';
import type { ComparedRun, RunComparison } from '@/api/generated';
import { Tag } from '@/components/ui/badges/Tag';
import { Panel } from '@/components/ui/Panel';
import { RunFacts } from './RunFacts';
import classes from './RunsPanel.module.css';
import { commonRefusal } from './refusal';

function RunCard({ run, comparison }: { run: ComparedRun; comparison: RunComparison }) {
  const { arms, baseline } = comparison;
  const chosen = arms.filter(({ run_id, selected }) => run_id === run.id && selected);
  const { label: runLabel } = run;
  const isBase = (key: string) => arms.some(({ against }) => against === key);
  return (
    <li className={classes.run}>
      <div className={classes.head}>
        <b>
          {run.experiment_name} #{run.number}
        </b>
        {baseline === run.id && <Tag>{t`baseline`}</Tag>}
      </div>
      <RunFacts run={run} />
      <ul className={classes.arms} aria-label={t`Arms of ${runLabel}`}>
        {chosen.map(({ key, label, refused }) => (
          <li key={key}>
            {label} {isBase(key) && <Tag>{t`baseline`}</Tag>}
            {refused && !commonRefusal(comparison) && (
              <p className={classes.refused}>{t`Cannot be compared: ${refused}.`}</p>
            )}
          </li>
        ))}
      </ul>
    </li>
  );
}

/** Which runs and arms are compared: nothing to change. */
export function SharedRunsPanel({ comparison }: { comparison: RunComparison }) {
  return (
    <Panel title={t`Runs`} note={t`Each arm is compared with the arm of the same name in the baseline run.`}>
      <ul className={classes.runs}>
        {comparison.runs.map((run) => (
          <RunCard key={run.id} run={run} comparison={comparison} />
        ))}
      </ul>
    </Panel>
  );
}
