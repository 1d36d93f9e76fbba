import { Alert, Button, Group, Stack } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import type { ExperimentDetail } from '@/api/generated';
import { openRunDialog } from '@/components/runs/openRunDialog';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { HostTestPanel } from './aside/HostTestPanel';
import { PreviewPanels } from './aside/PreviewPanels';
import { ProblemList } from './aside/ProblemList';
import classes from './Designer.module.css';
import { DesignerForm } from './DesignerForm';
import { DesignerHeader } from './DesignerHeader';
import { ProblemsContext, useStore } from './designerContext';
import { ImportDialog } from './dialogs/ImportDialog';
import { VersionConflict } from './dialogs/VersionConflict';
import { focusField } from './fieldRegistry';
import { type Draft, toDefinition } from './model/draft/draft';
import { changedPaths } from './model/paths';
import { byOwner } from './model/problems';
import { SectionNav } from './SectionNav';
import { type HostFindings, useAssignedProblems, useLivePreview } from './useProblems';
import { type Base, useSave } from './useSave';
import { useStoredDraft } from './useStoredDraft';
import { useUndoKeys } from './useUndoKeys';
import { useUnsavedGuard } from './useUnsavedGuard';

interface Props {
  base: Base | null;
  /** What the draft was made from. */
  origin: Draft;
  /** Whether the draft comes from an earlier visit of this tab. */
  restored: boolean;
  onSaved: (experiment: ExperimentDetail) => void;
  /** Throw the draft away and begin from what is saved. */
  onReload: () => void;
}

export function Designer({ base, origin, restored, onSaved, onReload }: Props) {
  const store = useStore();
  const navigate = useNavigate();
  const [search, setSearch] = useSearchParams();
  const [findings, setFindings] = useState<HostFindings | null>(null);
  const [noticed, setNoticed] = useState(!restored);
  const preview = useLivePreview();
  const problems = useAssignedProblems(preview.problems, findings);
  const owned = useMemo(() => byOwner(problems), [problems]);
  const saving = useSave(base, onSaved);
  useUnsavedGuard(store);
  useUndoKeys(store);
  useStoredDraft(store, base?.id ?? null, base?.version ?? null);

  const setImporting = (open: boolean) => setSearch(open ? { import: '1' } : {}, { replace: true });

  async function save(): Promise<ExperimentDetail | null> {
    const first = problems.find(({ source }) => source === null);
    if (!first) return saving.save();
    if (first.owner) focusField(first.owner);
    return null;
  }

  async function saveAndRun() {
    const saved = await save();
    if (!saved) return;
    openRunDialog({
      experimentId: saved.id,
      definition: saved.definition,
      onStarted: (run) => void navigate(`/runs/${run.id}`),
    });
  }

  return (
    <ProblemsContext.Provider value={owned}>
      <DesignerHeader
        base={base}
        isSaving={saving.isPending}
        onSave={() => void save()}
        onSaveAndRun={() => void saveAndRun()}
        onImport={() => setImporting(true)}
      />
      {!noticed && (
        <Alert color="gray" variant="light" mb="md" withCloseButton onClose={() => setNoticed(true)}>
          <Group gap="sm">
            <span>Your draft of earlier is back.</span>
            <Button variant="default" size="compact-xs" onClick={onReload}>
              Throw it away
            </Button>
          </Group>
        </Alert>
      )}
      {saving.error && (
        <Stack mb="md">
          <ProblemNotice error={saving.error} />
        </Stack>
      )}
      <SectionNav problems={problems} />
      <div className={classes.split}>
        <DesignerForm />
        <aside className={classes.aside} aria-label="Preview">
          <ProblemList problems={problems} isPending={preview.isPending} failed={preview.query.isError} />
          <PreviewPanels preview={preview} />
          <HostTestPanel
            disabled={problems.some(({ source }) => source === null)}
            onFindings={setFindings}
          />
        </aside>
      </div>
      <ImportDialog
        opened={search.has('import')}
        onClose={() => setImporting(false)}
        onImport={(change) => store.change(change)}
      />
      {base && (
        <VersionConflict
          base={base}
          conflict={saving.conflict}
          mine={saving.conflict ? changedPaths(toDefinition(origin), toDefinition(store.draft)) : []}
          onReload={onReload}
          onSaveOnTop={(version) => void saving.save(version)}
          onClose={saving.dismiss}
        />
      )}
    </ProblemsContext.Provider>
  );
}
