import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useVersionDiff } from '@/api/useVersionDiff';
import { UnifiedDiff } from '@/components/ui/code/UnifiedDiff';
import { QueryView } from '@/components/ui/QueryView';
import { isWithin } from '../model/paths';
import type { Base, Conflict } from '../useSave';

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
  return (
    <Modal opened={conflict !== null} onClose={onClose} size="lg" title="Someone saved a newer version">
      {conflict && (
        <Stack gap="sm">
          <Text size="sm">
            Your draft is based on version {base.version}, but version {conflict.latest} has been saved since.
            It changed this:
          </Text>
          <Changes base={base} latest={conflict.latest} mine={mine} />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              Continue editing
            </Button>
            <Button variant="default" onClick={onReload}>
              Discard mine and load version {conflict.latest}
            </Button>
            <Button onClick={() => onSaveOnTop(conflict.latest)}>Save mine on top</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

function Changes({ base, latest, mine }: { base: Base; latest: number; mine: readonly string[] }) {
  const diff = useVersionDiff(base.id, base.version, latest);
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
              {both.length > 0
                ? `You both changed ${both.slice(0, 5).join(', ')}${both.length > 5 ? ', …' : ''}. `
                : 'You changed different fields. '}
              Saving yours replaces the whole definition; version {latest} stays in the list of versions.
            </Alert>
            {text && <UnifiedDiff text={text} label={`Version ${base.version} to ${latest}`} />}
          </>
        );
      }}
    </QueryView>
  );
}
