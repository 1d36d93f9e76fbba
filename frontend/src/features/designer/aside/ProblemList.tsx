import { i18n } from '@lingui/core';
import { plural, t } from '@lingui/core/macro';
import { Button, Code, Group, Loader, Tooltip } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useSyncExternalStore } from 'react';
import { Panel } from '@/components/ui/Panel';
import { useDesigner, useDraft, useStore } from '../designerContext';
import { focusField, focusSoon } from '../fieldRegistry';
import { Note } from '../fields/Section';
import { type Mend, mendOf } from '../model/mends';
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

/** Makes the change that puts a problem right, where only one is meant: says what it was, shows it, and can take it back. */
function FixIt({ problem }: { problem: AssignedProblem }) {
  const store = useStore();
  const mend = useDraft((draft) => JSON.stringify(textsOf(mendOf(draft, problem))));
  const { from, to } = JSON.parse(mend) as ReturnType<typeof textsOf>;
  if (from === '' && to === '') return null;
  const what = from === '' ? t`Adds: ${to}` : to === '' ? t`Removes: ${from}` : `${from} → ${to}`;
  function fix() {
    const found = mendOf(store.draft, problem);
    if (!found) return;
    store.change(found.change);
    const made = store.draft;
    focusSoon(found.field);
    const id = notifications.show({
      title: t`Changed`,
      message: (
        <Group gap="sm" justify="space-between">
          <Code>{what}</Code>
          <Button
            variant="default"
            size="compact-xs"
            onClick={() => {
              if (store.draft === made) store.undo();
              notifications.hide(id);
            }}
          >
            {t`Undo`}
          </Button>
        </Group>
      ),
      color: 'gray',
      autoClose: 10_000,
    });
  }
  return (
    <Tooltip label={what} multiline maw={420}>
      <Button variant="default" size="compact-xs" flex="none" onClick={fix}>
        {t`Fix it`}
      </Button>
    </Tooltip>
  );
}

const textsOf = (mend: Mend | null) => ({ from: mend?.from ?? '', to: mend?.to ?? '' });

function ProblemItem({ problem }: { problem: AssignedProblem }) {
  const { field, owner, source, message, lang } = problem;
  const { fields } = useDesigner();
  const labels = useSyncExternalStore(fields.subscribe, fields.snapshot);
  const section = sectionOf(field);
  return (
    <li>
      <button type="button" className={classes.problem} onClick={() => owner && focusField(owner)}>
        <b>
          {section ? i18n._(section.title) : t`Definition`} · {(owner && labels.get(owner)) || field}
        </b>
        <span lang={lang}>{source ? t`nginx on ${source}: ${message}` : message}</span>
      </button>
      <FixIt problem={problem} />
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
