import { t } from '@lingui/core/macro';
import { ActionIcon, Button, Group, Menu, Tooltip } from '@mantine/core';
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconDownload,
  IconFileImport,
  IconFileTypeXml,
  IconPlayerPlay,
} from '@tabler/icons-react';
import { useSyncExternalStore } from 'react';
import { useNavigate } from 'react-router';
import type { ExperimentDetail } from '@/api/generated';
import { useHasRole } from '@/api/session';
import { openRunDialog } from '@/components/runs/RunForm';
import { PageHeader } from '@/components/ui/PageHeader';
import { useDesigner, useDraft, useStore } from './designerContext';
import { focusField } from './fieldRegistry';
import type { AssignedProblem } from './model/problems';
import { Others } from './Others';
import { type Base, useSave } from './useSave';

interface Props {
  base: Base | null;
  saving: ReturnType<typeof useSaveAndRun>;
  onImport: () => void;
  /** Show what a newer version changed. */
  onShow: (version: number) => void;
}

const SCHEMA = '/api/v1/schemas/experiment.json';

function HistoryButtons() {
  const store = useStore();
  const canUndo = useSyncExternalStore(store.subscribe, store.canUndo);
  const canRedo = useSyncExternalStore(store.subscribe, store.canRedo);
  const steps = [
    { label: t`Undo`, keys: t`Undo (Ctrl+Z)`, Icon: IconArrowBackUp, can: canUndo, step: store.undo },
    {
      label: t`Redo`,
      keys: t`Redo (Ctrl+Shift+Z)`,
      Icon: IconArrowForwardUp,
      can: canRedo,
      step: store.redo,
    },
  ];
  return steps.map(({ label, keys, Icon, can, step }) => (
    <Tooltip key={label} label={keys}>
      <ActionIcon variant="default" size={30} aria-label={label} disabled={!can} onClick={step}>
        <Icon size={16} />
      </ActionIcon>
    </Tooltip>
  ));
}

function YamlMenu({ base, onImport }: Pick<Props, 'base' | 'onImport'>) {
  const version = base?.version ?? 0;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default">YAML</Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconFileImport size={14} />} onClick={onImport}>
          {t`Import…`}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconDownload size={14} />}
          component="a"
          href={base ? `/api/v1/experiments/${base.id}/versions/${version}.yaml` : undefined}
          disabled={!base}
        >
          {base ? t`Export version ${version}` : t`Export (save first)`}
        </Menu.Item>
        <Menu.Item leftSection={<IconFileTypeXml size={14} />} component="a" href={SCHEMA} target="_blank">
          JSON Schema
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

export function DesignerHeader({ base, saving, onImport, onShow }: Props) {
  const store = useStore();
  const name = useDraft((draft) => draft.name);
  const isDirty = useSyncExternalStore(store.subscribe, store.isDirty);
  const maySave = useHasRole('experimenter');
  const version = base?.version ?? 0;
  const own = base
    ? { label: name || t`Experiment`, to: `/experiments/${base.id}` }
    : { label: t`New`, to: '/experiments/new' };
  return (
    <PageHeader
      title={name || t`New experiment`}
      crumbs={[{ label: t`Experiments`, to: '/experiments' }, own]}
      meta={
        <>
          <span>{base ? t`from version ${version}` : t`not saved yet`}</span>
          {isDirty && <span>{t`unsaved changes`}</span>}
          <Others base={base} onShow={onShow} />
        </>
      }
      actions={
        <Group gap={8}>
          <HistoryButtons />
          <YamlMenu base={base} onImport={onImport} />
          <Button
            variant="default"
            onClick={saving.save}
            loading={saving.isPending}
            disabled={!maySave || !isDirty}
          >
            {base ? t`Save version` : t`Save`}
          </Button>
          <Button
            leftSection={<IconPlayerPlay size={14} />}
            onClick={saving.saveAndRun}
            disabled={!maySave || saving.isPending}
          >
            {isDirty || !base ? t`Save and run` : t`Run`}
          </Button>
        </Group>
      }
    />
  );
}

/** Saving, where nothing is known to be wrong; else the cursor goes to the first field that is. */
export function useSaveAndRun(
  base: Base | null,
  problems: readonly AssignedProblem[],
  onSaved: (experiment: ExperimentDetail) => void,
) {
  const navigate = useNavigate();
  const { fields } = useDesigner();
  const { save: send, ...saving } = useSave(base, onSaved);

  async function save(): Promise<ExperimentDetail | null> {
    const first = problems.find(({ source }) => source === null);
    if (!first) return send();
    fields.leaveAll();
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

  return { ...saving, send, save: () => void save(), saveAndRun: () => void saveAndRun() };
}
