import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Stack } from '@mantine/core';
import { memo, useEffect, useMemo, useState } from 'react';
import { useSearchParams } from 'react-router';
import type { ExperimentDetail } from '@/api/generated';
import { HostTestPanel } from './aside/HostTestPanel';
import { PreviewPanels } from './aside/PreviewPanels';
import { ProblemList } from './aside/ProblemList';
import classes from './Designer.module.css';
import { DesignerHeader, useSaveAndRun } from './DesignerHeader';
import { PrimaryContext, ProblemsContext, useStore } from './designerContext';
import { ImportDialog } from './ImportDialog';
import { type Draft, toDefinition } from './model/draft/draft';
import { changedPaths } from './model/paths';
import { type AssignedProblem, byOwner, SECTIONS, sectionOf } from './model/problems';
import type { DesignerStore } from './model/store';
import { Notices } from './Notices';
import sectionNav from './SectionNav.module.css';
import { ArmsSection } from './sections/arms/ArmsSection';
import { FactorsSection } from './sections/FactorsSection';
import { NginxSection } from './sections/nginx/NginxSection';
import { PerturbationsSection } from './sections/PerturbationsSection';
import { PlanSection } from './sections/PlanSection';
import { QuestionSection } from './sections/QuestionSection';
import { StreamsSection } from './sections/streams/StreamsSection';
import { UpstreamServersSection } from './sections/UpstreamServersSection';
import { VerdictSection } from './sections/VerdictSection';
import { type HostFindings, type LivePreview, useAssignedProblems, useLivePreview } from './useProblems';
import type { Base } from './useSave';
import { useStoredDraft } from './useStoredDraft';
import { useUnsavedGuard } from './useUnsavedGuard';
import { VersionConflict } from './VersionConflict';

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

/** The whole form. Each field listens to its own part of the draft, so this renders once. */
const DesignerForm = memo(function DesignerForm() {
  return (
    <Stack gap="md" role="form" aria-label={t`Experiment`}>
      <QuestionSection />
      <FactorsSection />
      <ArmsSection />
      <NginxSection />
      <UpstreamServersSection />
      <StreamsSection />
      <PerturbationsSection />
      <VerdictSection />
      <PlanSection />
    </Stack>
  );
});

function Count({ of }: { of: number }) {
  return (
    <span className={sectionNav.navCount}>
      <Trans>
        {of}
        <span className="visually-hidden"> problems</span>
      </Trans>
    </span>
  );
}

/** Ways to the sections, each with the number of its problems. */
function SectionNav({ problems }: { problems: readonly AssignedProblem[] }) {
  const counts = new Map<string, number>();
  for (const { field } of problems) {
    const id = sectionOf(field)?.id ?? '';
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return (
    <nav className={sectionNav.nav} aria-label={t`Sections`}>
      {SECTIONS.map(({ id, title }) => (
        <a
          key={id}
          href={`#section-${id}`}
          onClick={(event) => {
            event.preventDefault();
            document.getElementById(`section-${id}`)?.scrollIntoView({ block: 'start' });
          }}
        >
          {i18n._(title)}
          {counts.has(id) && <Count of={counts.get(id) ?? 0} />}
        </a>
      ))}
    </nav>
  );
}

const TEXT_INPUTS =
  'textarea, [contenteditable="true"], input:not([type="radio"], [type="checkbox"], [type="button"], [type="file"])';

/** Ctrl+Z and Ctrl+Shift+Z for the whole definition, except where a text has an undo of its own. */
function useUndoKeys(store: DesignerStore): void {
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      const isUndo = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'z';
      if (!isUndo || (event.target as HTMLElement).closest(TEXT_INPUTS)) return;
      event.preventDefault();
      if (event.shiftKey) store.redo();
      else store.undo();
    }
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [store]);
}
