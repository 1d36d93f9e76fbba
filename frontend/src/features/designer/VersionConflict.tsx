import { t } from '@lingui/core/macro';
import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useVersionDiff } from '@/api/experiments';
import { UnifiedDiff } from '@/components/ui/code/UnifiedDiff';
import { QueryView } from '@/components/ui/QueryView';
import type { useSaveAndRun } from './DesignerHeader';
import { useStore } from './designerContext';
import { type Draft, toDefinition } from './model/draft/draft';
import { changedPaths, isWithin } from './model/paths';
import type { Base } from './useSave';

interface Props {
  base: Base | null;
  /** What the draft was made from. */
  origin: Draft;
  saving: Pick<ReturnType<typeof useSaveAndRun>, 'send'>;
  /** The version that somebody saved after the draft's base; `null` while nothing is to be said. */
  latest: number | null;
  onClose: () => void;
  onReload: () => void;
}

/** Somebody saved in between: what they changed, whether it meets what was changed here, and two ways on. */
export function VersionConflict({ base, origin, saving, latest: newer, onClose, onReload }: Props) {
  const store = useStore();
  const [from, latest] = [base?.version ?? 0, newer ?? 0];
  return (
    <Modal opened={newer !== null} onClose={onClose} size="lg" title={t`Someone saved a newer version`}>
      {base && newer !== null && (
        <Stack gap="sm">
          <Text size="sm">
            {t`Your draft is based on version ${from}, but version ${latest} has been saved since. It changed this:`}
          </Text>
          <Changes
            base={base}
            latest={latest}
            mine={changedPaths(toDefinition(origin), toDefinition(store.draft))}
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {t`Continue editing`}
            </Button>
            <Button variant="default" onClick={onReload}>
              {t`Discard mine and load version ${latest}`}
            </Button>
            <Button onClick={() => void saving.send(latest)}>{t`Save mine on top`}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

function warning(both: readonly string[], latest: number): string {
  const paths = `${both.slice(0, 5).join(', ')}${both.length > 5 ? ', …' : ''}`;
  return both.length > 0
    ? t`You both changed ${paths}. Saving yours replaces the whole definition; version ${latest} stays in the list of versions.`
    : t`You changed different fields. Saving yours replaces the whole definition; version ${latest} stays in the list of versions.`;
}

interface ChangesProps {
  base: Base;
  latest: number;
  /** Paths that this draft changed since its base. */
  mine: readonly string[];
}

function Changes({ base, latest, mine }: ChangesProps) {
  const from = base.version;
  const diff = useVersionDiff(base.id, from, latest);
  return (
    <QueryView query={diff} skeleton={[160]}>
      {({ text, changes }) => {
        const theirs = changes.map(({ path }) => path);
        const both = mine.filter((path) =>
          theirs.some((other) => isWithin(path, other) || isWithin(other, path)),
        );
        return (
          <>
            <Alert color={both.length > 0 ? 'red' : 'gray'} variant="light">
              {warning(both, latest)}
            </Alert>
            {text && <UnifiedDiff text={text} label={t`Version ${from} to ${latest}`} />}
          </>
        );
      }}
    </QueryView>
  );
}
