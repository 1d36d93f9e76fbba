import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Group, Stack } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { type FocusEvent, memo, useMemo, useState, useSyncExternalStore } from 'react';
import { useSearchParams } from 'react-router';
import type { ExperimentDetail } from '@/api/generated';
import { ReadersSelect } from '@/components/access/teams';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { HostTestPanel } from './aside/HostTestPanel';
import { PreviewPanels } from './aside/PreviewPanels';
import { ProblemList } from './aside/ProblemList';
import classes from './Designer.module.css';
import { DesignerHeader, useSaveAndRun } from './DesignerHeader';
import {
  PrimaryContext,
  ProblemsContext,
  type Sound,
  SoundContext,
  useDesigner,
  useStore,
} from './designerContext';
import { Field } from './fields/Field';
import { TextField } from './fields/inputs';
import { Section } from './fields/Section';
import { ImportDialog } from './ImportDialog';
import type { Draft } from './model/draft/draft';
import { type AssignedProblem, byOwner, SECTIONS, sectionOf } from './model/problems';
import type { DesignerStore } from './model/store';
import sectionNav from './SectionNav.module.css';
import { ArmsSection } from './sections/arms/ArmsSection';
import { FactorsSection } from './sections/factors/FactorsSection';
import { NginxSection } from './sections/nginx/NginxSection';
import { PerturbationsSection } from './sections/PerturbationsSection';
import { PlanSection } from './sections/PlanSection';
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

/** What is wrong, by field, of the fields that somebody has left: nothing is red before anybody has been there. */
function useOwned(problems: readonly AssignedProblem[], isKnown: boolean) {
  const { fields } = useDesigner();
  if (isKnown) fields.leaveAll();
  const left = useSyncExternalStore(fields.subscribe, fields.snapshotOfLeft);
  return useMemo(
    () => left && byOwner(problems.filter(({ owner }) => owner === null || fields.isLeft(owner))),
    [problems, fields, left],
  );
}

/** Whether the import is open is told by the address, so that a link can lead to it. */
function useImporting() {
  const [search, setSearch] = useSearchParams();
  const set = (open: boolean) => setSearch(open ? { import: '1' } : {}, { replace: true });
  return { opened: search.has('import'), open: () => set(true), close: () => set(false) };
}

/** What can be run of the draft. */
function useSound({ sound }: LivePreview, base: Base | null): Sound | null {
  const experimentId = base?.id ?? null;
  return useMemo(
    () =>
      sound?.definition && sound.plan && sound.problems.length === 0
        ? { definition: sound.definition, plan: sound.plan, experimentId }
        : null,
    [sound, experimentId],
  );
}

export function Designer({ base, origin, restored, onSaved, onReload }: Props) {
  const store = useStore();
  useUnsavedGuard(store);
  useUndoKeys(store);
  useStoredDraft(store, base);
  const [findings, setFindings] = useState<HostFindings | null>(null);
  const preview = useLivePreview();
  const problems = useAssignedProblems(preview.problems, findings);
  const warnings = useAssignedProblems(preview.warnings);
  const owned = useOwned(problems, base !== null || restored);
  const saving = useSaveAndRun(base, problems, onSaved);
  const importing = useImporting();
  const [shown, setShown] = useState<number | null>(null);
  const primary = preview.query.data?.primary ?? preview.sound?.primary ?? null;
  const sound = useSound(preview, base);
  const isUnsound = problems.some(({ source }) => source === null);
  return (
    <ProblemsContext.Provider value={owned}>
      <DesignerHeader base={base} saving={saving} onImport={importing.open} onShow={setShown} />
      {restored && <RestoredNotice onReload={onReload} />}
      {saving.error && (
        <Stack mb="md">
          <ProblemNotice error={saving.error} />
        </Stack>
      )}
      <SectionNav problems={problems} />
      <div className={classes.split}>
        <PrimaryContext.Provider value={primary}>
          <SoundContext.Provider value={sound}>
            <DesignerForm isNew={base === null} teamId={saving.teamId} onTeam={saving.setTeam} />
          </SoundContext.Provider>
        </PrimaryContext.Provider>
        <aside className={`${classes.aside} in-order`} aria-label={t`Preview`}>
          <ProblemList
            problems={problems}
            warnings={warnings}
            isPending={preview.isPending}
            failed={preview.query.isError}
          />
          <PreviewPanels preview={preview} />
          <HostTestPanel disabled={isUnsound} onFindings={setFindings} />
        </aside>
      </div>
      <ImportDialog opened={importing.opened} onClose={importing.close} />
      <VersionConflict
        {...{ base, origin, saving, onReload }}
        latest={saving.conflict?.latest ?? (base && shown && shown > base.version ? shown : null)}
        onClose={() => {
          setShown(null);
          saving.dismiss();
        }}
      />
    </ProblemsContext.Provider>
  );
}

/** A draft of an earlier visit is not what is saved: say so, and offer to begin anew. */
function RestoredNotice({ onReload }: Pick<Props, 'onReload'>) {
  const [isClosed, setClosed] = useState(false);
  if (isClosed) return null;
  return (
    <Alert color="gray" variant="light" mb="md" withCloseButton onClose={() => setClosed(true)}>
      <Group gap="sm">
        <span>{t`Your unsaved draft was restored.`}</span>
        <Button variant="default" size="compact-xs" onClick={onReload}>
          {t`Discard draft`}
        </Button>
      </Group>
    </Alert>
  );
}

interface FormProps {
  isNew: boolean;
  teamId: string | null;
  onTeam: (teamId: string | null) => void;
}

/** The whole form. Each field listens to its own part of the draft, so this hardly ever renders again. */
const DesignerForm = memo(function DesignerForm({ isNew, teamId, onTeam }: FormProps) {
  const { fields } = useDesigner();
  function leave({ target }: FocusEvent<HTMLElement>) {
    const path = target.closest<HTMLElement>('[data-field]')?.dataset.field;
    if (path) fields.leave(path);
  }
  return (
    <Stack gap="md" role="form" aria-label={t`Experiment`} onBlur={leave}>
      <Section id="question">
        <Stack gap="sm">
          <TextField path="name" label={t`Name`} placeholder={t`Shown in lists`} maxLength={120} />
          <Field of="Definition.question" at="" />
          {isNew && <ReadersSelect label={t`Who may read it`} w={280} chosen={teamId} onChoose={onTeam} />}
        </Stack>
      </Section>
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

/** Ways to the sections, each with the number of its problems. */
function SectionNav({ problems }: { problems: readonly AssignedProblem[] }) {
  const countOf = (id: string) => problems.filter(({ field }) => sectionOf(field)?.id === id).length;
  return (
    <nav className={sectionNav.nav} aria-label={t`Sections`}>
      {SECTIONS.map(({ id, title }) => (
        <SectionLink key={id} id={id} title={i18n._(title)} count={countOf(id)} />
      ))}
    </nav>
  );
}

function SectionLink({ id, title, count: of }: { id: string; title: string; count: number }) {
  return (
    <a
      href={`#section-${id}`}
      onClick={(event) => {
        event.preventDefault();
        document.getElementById(`section-${id}`)?.scrollIntoView({ block: 'start' });
      }}
    >
      {title}
      {of > 0 && (
        <span className={sectionNav.navCount}>
          <Trans>
            {of}
            <span className="visually-hidden"> problems</span>
          </Trans>
        </span>
      )}
    </a>
  );
}

const TEXT_INPUTS =
  'textarea, [contenteditable="true"], input:not([type="radio"], [type="checkbox"], [type="button"], [type="file"])';

/** Ctrl+Z and Ctrl+Shift+Z for the whole definition, except where a text has an undo of its own. */
function useUndoKeys(store: DesignerStore): void {
  useWindowEvent('keydown', (event) => {
    const isUndo = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'z';
    if (!isUndo || (event.target as HTMLElement).closest(TEXT_INPUTS)) return;
    event.preventDefault();
    if (event.shiftKey) store.redo();
    else store.undo();
  });
}
