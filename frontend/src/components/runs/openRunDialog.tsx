import { t } from '@lingui/core/macro';
import { modals } from '@mantine/modals';
import type { Definition, RunDetail } from '@/api/generated';
import { buildsOfDefinition } from '@/domain/builds';
import { slotsOfDefinition } from '@/domain/slots';
import { RunForm } from './RunForm';

interface Options {
  experimentId: string;
  definition: Pick<Definition, 'factors' | 'nginx' | 'streams' | 'upstream_servers'>;
  title?: string;
  onStarted: (run: RunDetail) => void;
}

export function openRunDialog({ experimentId, definition, title = t`Run`, onStarted }: Options): void {
  const id = modals.open({
    title,
    children: (
      <RunForm
        experimentId={experimentId}
        slots={slotsOfDefinition(definition)}
        builds={buildsOfDefinition(definition)}
        onCancel={() => modals.close(id)}
        onStarted={(run) => {
          modals.close(id);
          onStarted(run);
        }}
      />
    ),
  });
}
