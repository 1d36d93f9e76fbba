import { i18n } from '@lingui/core';
import { plural, t } from '@lingui/core/macro';
import { Loader } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useSyncExternalStore } from 'react';
import { Panel } from '@/components/ui/Panel';
import { useDesigner } from '../designerContext';
import { focusField } from '../fieldRegistry';
import { Note } from '../fields/Section';
import { type AssignedProblem, sectionOf } from '../model/problems';
import classes from './aside.module.css';

interface Props {
  problems: readonly AssignedProblem[];
  isPending: boolean;
  /** The preview itself failed: nothing is known about the draft. */
  failed: boolean;
}

function title(count: number, failed: boolean): string {
  if (failed) return t`Not checked`;
  return count === 0 ? t`No problems` : plural(count, { one: '# problem', other: '# problems' });
}

function ProblemItem({ problem: { field, owner, source, message } }: { problem: AssignedProblem }) {
  const { fields } = useDesigner();
  const labels = useSyncExternalStore(fields.subscribe, fields.snapshot);
  const section = sectionOf(field);
  return (
    <li>
      <button type="button" onClick={() => owner && focusField(owner)}>
        <b>
          {section ? i18n._(section.title) : t`Definition`} · {(owner && labels.get(owner)) || field}
        </b>
        <span>{source ? t`nginx on ${source}: ${message}` : message}</span>
      </button>
    </li>
  );
}

/** Everything that is wrong; press one to go to its field. */
export function ProblemList({ problems, isPending, failed }: Props) {
  const Icon = problems.length > 0 ? IconAlertTriangle : IconCircleCheck;
  return (
    <Panel
      title={
        <span className={classes.problemTitle} data-bad={problems.length > 0 || undefined} role="status">
          <Icon size={15} aria-hidden />
          {title(problems.length, failed)}
        </span>
      }
      actions={isPending && !failed ? <Loader size={12} color="gray" aria-label={t`Checking`} /> : undefined}
    >
      {problems.length === 0 ? (
        <Note>
          {failed
            ? t`The server does not respond. Your draft is kept.`
            : t`The definition can be saved and run.`}
        </Note>
      ) : (
        <ol className={classes.problems} aria-label={t`Problems`}>
          {problems.map((problem) => (
            <ProblemItem key={`${problem.field}:${problem.line}:${problem.message}`} problem={problem} />
          ))}
        </ol>
      )}
    </Panel>
  );
}
