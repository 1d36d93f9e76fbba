import { t } from '@lingui/core/macro';
import { Alert, Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { ProblemNotice } from '@/components/ui/ProblemNotice';

/** A draft of an earlier visit is not what is saved: say so, and offer to begin anew. */
function RestoredNotice({ onReload }: { onReload: () => void }) {
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

interface Props {
  restored: boolean;
  /** Why saving was refused. */
  error: Error | null;
  onReload: () => void;
}

export function Notices({ restored, error, onReload }: Props) {
  return (
    <>
      {restored && <RestoredNotice onReload={onReload} />}
      {error && (
        <Stack mb="md">
          <ProblemNotice error={error} />
        </Stack>
      )}
    </>
  );
}
