import { t } from '@lingui/core/macro';
import { useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import type { ExperimentDetail } from '@/api/generated';
import { HostTestPanel } from './aside/HostTestPanel';
import { PreviewPanels } from './aside/PreviewPanels';
import { ProblemList } from './aside/ProblemList';
import classes from './Designer.module.css';
import { DesignerForm } from './DesignerForm';
import { DesignerHeader } from './DesignerHeader';
import { PrimaryContext, ProblemsContext, useStore } from './designerContext';
import { ImportDialog } from './dialogs/ImportDialog';
import { VersionConflict } from './dialogs/VersionConflict';
import { type Draft, toDefinition } from './model/draft/draft';
import { changedPaths } from './model/paths';
import { type AssignedProblem, byOwner } from './model/problems';
import { Notices } from './Notices';
import { SectionNav } from './SectionNav';
import { type HostFindings, type LivePreview, useAssignedProblems, useLivePreview } from './useProblems';
import type { Base } from './useSave';
import { useSaveAndRun } from './useSaveAndRun';
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

interface AsideProps {
  problems: readonly AssignedProblem[];
  preview: LivePreview;
  onFindings: (findings: HostFindings | null) => void;
}

function Aside({ problems, preview, onFindings }: AsideProps) {
  return (
    <aside className={classes.aside} aria-label={t`Preview`}>
      <ProblemList problems={problems} isPending={preview.isPending} failed={preview.query.isError} />
      <PreviewPanels preview={preview} />
      <HostTestPanel disabled={problems.some(({ source }) => source === null)} onFindings={onFindings} />
    </aside>
  );
}

/** Whether the import is open is told by the address, so that a link can lead to it. */
function useImporting() {
  const [search, setSearch] = useSearchParams();
  const set = (open: boolean) => setSearch(open ? { import: '1' } : {}, { replace: true });
  return { opened: search.has('import'), open: () => set(true), close: () => set(false) };
}

interface ConflictProps extends Pick<Props, 'base' | 'origin' | 'onReload'> {
  saving: ReturnType<typeof useSaveAndRun>['saving'];
}

function Conflict({ base, origin, saving, onReload }: ConflictProps) {
  const store = useStore();
  if (!base) return null;
  const mine = saving.conflict ? changedPaths(toDefinition(origin), toDefinition(store.draft)) : [];
  return (
    <VersionConflict
      base={base}
      conflict={saving.conflict}
      mine={mine}
      onReload={onReload}
      onSaveOnTop={(version) => void saving.save(version)}
      onClose={saving.dismiss}
    />
  );
}

/** The draft's life in this tab: unsaved changes are guarded and kept, and can be undone. */
function useDraftKeeping(base: Base | null) {
  const store = useStore();
  useUnsavedGuard(store);
  useUndoKeys(store);
  useStoredDraft(store, base?.id ?? null, base?.version ?? null);
  return store;
}

export function Designer({ base, origin, restored, onSaved, onReload }: Props) {
  const store = useDraftKeeping(base);
  const [findings, setFindings] = useState<HostFindings | null>(null);
  const preview = useLivePreview();
  const problems = useAssignedProblems(preview.problems, findings);
  const owned = useMemo(() => byOwner(problems), [problems]);
  const { saving, save, saveAndRun } = useSaveAndRun(base, problems, onSaved);
  const importing = useImporting();
  return (
    <ProblemsContext.Provider value={owned}>
      <DesignerHeader
        base={base}
        isSaving={saving.isPending}
        onSave={save}
        onSaveAndRun={saveAndRun}
        onImport={importing.open}
      />
      <Notices restored={restored} error={saving.error} onReload={onReload} />
      <SectionNav problems={problems} />
      <div className={classes.split}>
        <PrimaryContext.Provider value={preview.query.data?.primary ?? preview.sound?.primary ?? null}>
          <DesignerForm />
        </PrimaryContext.Provider>
        <Aside problems={problems} preview={preview} onFindings={setFindings} />
      </div>
      <ImportDialog
        opened={importing.opened}
        onClose={importing.close}
        onImport={(change) => store.change(change)}
      />
      <Conflict base={base} origin={origin} saving={saving} onReload={onReload} />
    </ProblemsContext.Provider>
  );
}
