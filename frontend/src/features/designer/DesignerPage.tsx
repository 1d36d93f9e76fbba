import { t } from '@lingui/core/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useLocation, useNavigate, useParams, useSearchParams } from 'react-router';
import { useExperiment } from '@/api/experiments';
import { type Definition, type ExperimentDetail, getExperimentQueryKey } from '@/api/generated';
import { useHosts } from '@/api/hosts';
import { QueryView } from '@/components/ui/QueryView';
import { usePageTitle } from '@/lib/usePageTitle';
import { Designer } from './Designer';
import { DesignerContext } from './designerContext';
import { FieldRegistry } from './fieldRegistry';
import { buildsDraft } from './model/draft/buildsDraft';
import { blankDraft, type Draft, toDraft } from './model/draft/draft';
import { DesignerStore } from './model/store';
import type { Base } from './useSave';
import { forgetDraft, readDraft } from './useStoredDraft';
import { KEEPS_DRAFT } from './useUnsavedGuard';

/** A new experiment from nothing, or the next version of one. Saving a new one for the first time goes on here. */
export default function DesignerPage() {
  const { experimentId } = useParams();
  const [own, setOwn] = useState<string | null>(null);
  if (experimentId && experimentId !== own) return <EditExperiment key={experimentId} id={experimentId} />;
  return <NewExperiment own={own} onOwn={setOwn} />;
}

interface NewProps {
  /** What the draft was saved as. */
  own: string | null;
  onOwn: (id: string | null) => void;
}

/** What the page before made, such as of an nginx configuration: it takes the place of a draft that was kept. */
function useGiven(): Draft | null {
  const { state } = useLocation();
  const [given] = useState(() => {
    const { name, definition } = (state ?? {}) as { name?: string; definition?: Definition };
    if (!definition) return null;
    forgetDraft(null);
    return toDraft(name ?? '', definition);
  });
  return given;
}

function NewExperiment({ own, onOwn }: NewProps) {
  usePageTitle(t`Design`);
  const given = useGiven();
  const [comparesBuilds] = useState(useSearchParams()[0].get('compare') === 'builds');
  const hosts = useHosts();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  function created({ id }: ExperimentDetail) {
    onOwn(id);
    void navigate(`/experiments/${id}/design`, { replace: true, state: KEEPS_DRAFT });
  }
  /** Once it is saved, it is an experiment like any other. */
  async function refresh() {
    if (own) queryClient.removeQueries({ queryKey: getExperimentQueryKey({ path: { experiment_id: own } }) });
    onOwn(null);
  }
  const shared = { base: null, onCreated: created, refresh };
  if (!comparesBuilds) return <Workbench {...shared} saved={given ?? blankDraft()} />;
  return (
    <QueryView query={hosts} skeleton={[48, 320, 320]}>
      {(registered) => <Workbench {...shared} saved={buildsDraft(registered)} />}
    </QueryView>
  );
}

function EditExperiment({ id }: { id: string }) {
  const query = useExperiment(id);
  const name = query.data?.name;
  usePageTitle(name ? t`Design: ${name}` : t`Design`);
  return (
    <QueryView
      query={query}
      skeleton={[48, 320, 320]}
      wayOut={{ label: t`All experiments`, to: '/experiments' }}
    >
      {(experiment) => (
        <Workbench
          base={{ id, version: experiment.version }}
          saved={toDraft(experiment.name, experiment.definition)}
          refresh={() => query.refetch()}
        />
      )}
    </QueryView>
  );
}

interface Props {
  base: Base | null;
  saved: Draft;
  onCreated?: (experiment: ExperimentDetail) => void;
  /** Ask for what is saved now. */
  refresh?: () => Promise<unknown>;
}

/** Later versions of the experiment do not touch a draft that is being edited; saving tells of them. */
function Workbench({ refresh, ...session }: Props) {
  const [round, setRound] = useState(0);
  async function reload() {
    await refresh?.();
    setRound(round + 1);
  }
  return <Session key={round} {...session} onReload={() => void reload()} />;
}

function Session({
  base: latest,
  saved,
  onCreated,
  onReload,
}: Omit<Props, 'refresh'> & { onReload: () => void }) {
  const [start] = useState(() => {
    const stored = readDraft(latest?.id ?? null);
    return { stored, origin: saved, store: new DesignerStore(stored?.draft ?? saved, saved) };
  });
  const { stored, origin, store } = start;
  const [base, setBase] = useState<Base | null>(
    latest && { ...latest, version: stored?.baseVersion ?? latest.version },
  );
  const context = useMemo(() => ({ store, fields: new FieldRegistry() }), [store]);
  return (
    <DesignerContext.Provider value={context}>
      <Designer
        base={base}
        origin={origin}
        restored={stored !== null}
        onReload={() => {
          store.markSaved(store.draft); // or it would be kept once more when it goes
          forgetDraft(base?.id ?? null);
          onReload();
        }}
        onSaved={(experiment) => {
          setBase({ id: experiment.id, version: experiment.version });
          if (!base) onCreated?.(experiment);
        }}
      />
    </DesignerContext.Provider>
  );
}
