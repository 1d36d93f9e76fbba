import { plural, t } from '@lingui/core/macro';
import { Stack, Text } from '@mantine/core';
import type { DeletionUnderWay, HostDetail } from '@/api/generated';
import { QueryView } from '@/components/ui/QueryView';
import { useHostHistory } from '../api/useHostHistory';
import { DeleteHistoryForm } from './DeleteHistoryForm';

interface Props {
  host: Pick<HostDetail, 'id' | 'name'>;
  onClose: () => void;
}

function UnderWay({ deletion }: { deletion: DeletionUnderWay }) {
  return (
    <Stack gap="md">
      <Text size="sm" role="status">
        {plural(deletion.runs_left, {
          one: 'It is being deleted: # run is left.',
          other: 'It is being deleted: # runs are left.',
        })}
      </Text>
      <Text size="sm" c="var(--text-dim)">
        {t`It goes on in the background, slowly while anything is measured. You may close this.`}
      </Text>
    </Stack>
  );
}

/** Deletes what was measured on a host, as far as somebody wants, once its name is typed. */
export function DeleteHistoryDialog({ host, onClose }: Props) {
  return (
    <QueryView query={useHostHistory(host.id)} skeleton={[160]}>
      {(history) =>
        history.deletion ? (
          <UnderWay deletion={history.deletion} />
        ) : (
          <DeleteHistoryForm host={host} history={history} onClose={onClose} />
        )
      }
    </QueryView>
  );
}
