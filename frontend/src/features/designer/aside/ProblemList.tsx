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
  /** What can be run, but may not be what is meant. */
  warnings: readonly AssignedProblem[];
  isPending: boolean;
  /** The preview itself failed: nothing is known about the draft. */
  failed: boolean;
}

function title(count: number, warnings: number, failed: boolean): string {
  if (failed) return t`Not checked`;
  if (count > 0) return plural(count, { one: '# problem', other: '# problems' });
  return warnings > 0 ? plural(warnings, { one: '# warning', other: '# warnings' }) : t`No problems`;
}

function note(warnings: number, failed: boolean): string {
  if (failed) return t`The server does not respond. Your draft is kept.`;
  return warnings > 0
    ? t`The definition can be saved and run, but it may not be what you mean.`
    : t`The definition can be saved and run.`;
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
export function ProblemList({ problems, warnings, isPending, failed }: Props) {
  const shown = [...problems, ...warnings];
  const Icon = shown.length > 0 ? IconAlertTriangle : IconCircleCheck;
  return (
    <Panel
      title={
        <span
          className={classes.problemTitle}
          data-bad={problems.length > 0 || undefined}
          data-warned={(problems.length === 0 && warnings.length > 0) || undefined}
          role="status"
        >
          <Icon size={15} aria-hidden />
          {title(problems.length, warnings.length, failed)}
        </span>
      }
      actions={isPending && !failed ? <Loader size={12} color="gray" aria-label={t`Checking`} /> : undefined}
    >
      {problems.length === 0 && <Note>{note(warnings.length, failed)}</Note>}
      {shown.length > 0 && (
        <ol className={classes.problems} aria-label={problems.length > 0 ? t`Problems` : t`Warnings`}>
          {shown.map((problem) => (
            <ProblemItem key={`${problem.field}:${problem.line}:${problem.message}`} problem={problem} />
          ))}
        </ol>
      )}
    </Panel>
  );
}
