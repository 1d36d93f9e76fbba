import { t } from '@lingui/core/macro';
import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useVersionDiff } from '@/api/experiments';
import { UnifiedDiff } from '@/components/ui/code/UnifiedDiff';
import { QueryView } from '@/components/ui/QueryView';
import { isWithin } from './model/paths';
import type { Base, Conflict } from './useSave';

interface Props {
  base: Base;
  conflict: Conflict | null;
  /** Paths that this draft changed since its base. */
  mine: readonly string[];
  onReload: () => void;
  onSaveOnTop: (version: number) => void;
  onClose: () => void;
}

/** Somebody saved in between: what they changed, whether it meets what was changed here, and two ways on. */
export function VersionConflict({ base, conflict, mine, onReload, onSaveOnTop, onClose }: Props) {
  const [from, latest] = [base.version, conflict?.latest ?? 0];
  return (
    <Modal opened={conflict !== null} onClose={onClose} size="lg" title={t`Someone saved a newer version`}>
      {conflict && (
        <Stack gap="sm">
          <Text size="sm">
            {t`Your draft is based on version ${from}, but version ${latest} has been saved since. It changed this:`}
          </Text>
          <Changes base={base} latest={conflict.latest} mine={mine} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              {t`Continue editing`}
            </Button>
            <Button variant="default" onClick={onReload}>
              {t`Discard mine and load version ${latest}`}
            </Button>
            <Button onClick={() => onSaveOnTop(conflict.latest)}>{t`Save mine on top`}</Button>
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

function Changes({ base, latest, mine }: { base: Base; latest: number; mine: readonly string[] }) {
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
