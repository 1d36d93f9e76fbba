import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, FileInput, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { allOf } from '@/api/client';
import { importRunMutation } from '@/api/generated';
import { FormProblem } from '@/components/ui/FormProblem';
import { messageOf } from '@/lib/problem';

/** Choose the archive of a run. */
export function ImportRunForm({ onImported }: { onImported: (runId: string) => void }) {
  const [file, setFile] = useState<File | null>(null);
  const sending = useMutation({
    ...importRunMutation({ headers: { 'Content-Type': 'application/zip' } }),
    meta: { errorShownInPlace: true, refetches: [allOf('experiments'), allOf('runs')] },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (file) sending.mutate({ body: file }, { onSuccess: (run) => onImported(run.id) });
      }}
    >
      <Stack gap="md">
        <Text size="sm">
          <Trans>
            An archive is what <em>Export, Archive</em> of a report gives. The run keeps its verdict and its
            numbers; its hosts appear as names that no run can use.
          </Trans>
        </Text>
        <FileInput
          label={t`Archive`}
          placeholder={t`Choose a file (.zip)`}
          accept=".zip,application/zip"
          value={file}
          onChange={setFile}
          data-autofocus
        />
        <FormProblem message={sending.error ? messageOf(sending.error) : undefined} />
        <Group justify="flex-end">
          <Button type="submit" disabled={!file} loading={sending.isPending}>
            <Trans>Import</Trans>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
