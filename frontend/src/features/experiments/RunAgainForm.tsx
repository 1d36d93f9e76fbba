import { Button, Group, NumberInput, Stack, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { type FormEvent, useState } from 'react';
import { useNavigate } from 'react-router';
import { useStartRun } from '@/api/useStartRun';
import { HostSelect } from '@/components/HostSelect';
import { useDefaultHost } from '@/components/useDefaultHost';

export function RunAgainForm({ experimentId }: { experimentId: string }) {
  const [host, setHost] = useDefaultHost();
  const [seed, setSeed] = useState<string | number>('');
  const [note, setNote] = useState('');
  const start = useStartRun();
  const navigate = useNavigate();

  function submit(event: FormEvent) {
    event.preventDefault();
    if (!host) return;
    const body = { host_id: host, note: note.trim() || null, seed: seed === '' ? null : Number(seed) };
    start.mutate(
      { experimentId, body },
      {
        onSuccess: (run) => {
          modals.closeAll();
          void navigate(`/runs/${run.id}`);
        },
      },
    );
  }

  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <HostSelect value={host} onChange={setHost} />
        <TextInput
          label="Note"
          value={note}
          maxLength={500}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <NumberInput
          label="Seed"
          description="Decides the order of trials. Empty: drawn at random."
          value={seed}
          onChange={setSeed}
          min={0}
          allowDecimal={false}
          hideControls
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={() => modals.closeAll()}>
            Cancel
          </Button>
          <Button type="submit" loading={start.isPending} disabled={!host}>
            Start run
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
