import { t } from '@lingui/core/macro';
import { Alert, Button, Group, List, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { endRehearsalMutation, type Readiness } from '@/api/generated';
import { useHasRole } from '@/api/session';
import { askFirst } from '@/components/access/askFirst';
import { InEnglish } from '@/components/ui/language/InEnglish';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { formatDateTime } from '@/lib/time';

const ASK_EVERY_MS = 60_000;
const ASK_AGAIN_MS = 5_000;

/** The answer is the same message whether the server is ready (200) or not (503), so it is no problem to be thrown. */
async function fetchReadiness(signal: AbortSignal): Promise<Readiness | null> {
  const answer = await fetch(new Request(new URL('/readyz', window.location.origin), { signal }));
  const isMessage = answer.headers.get('Content-Type')?.startsWith('application/json');
  return isMessage ? ((await answer.json()) as Readiness) : null;
}

const readinessKey = ['readiness'] as const;

/** Whether the server has all it needs; `null` where another server answers in its place. */
function useReadiness() {
  return useQuery({
    queryKey: readinessKey,
    queryFn: ({ signal }) => fetchReadiness(signal),
    refetchInterval: ({ state }) => (state.data?.ready === false ? ASK_AGAIN_MS : ASK_EVERY_MS),
  });
}

const names = (): Record<string, string> => ({
  disk: '',
  postgresql: 'PostgreSQL',
  redis: 'Redis',
  live: t`Live updates`,
  coordinator: t`Coordinator`,
  jobs: t`Jobs service`,
});

function sentence(part: string, state: string): string {
  const name = names()[part] ?? part;
  const text = name ? `${name}: ${state}` : state;
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** Says that the server rehearses a restored backup; an administrator may say that it is the real installation. */
function RehearsalNotice({ backupOf }: { backupOf: string }) {
  const isAdministrator = useHasRole('administrator');
  const end = useMutation({ ...endRehearsalMutation(), meta: { refetches: [readinessKey] } });
  const moment = formatDateTime(backupOf);
  const ask = () =>
    askFirst({
      title: t`Is this the real installation?`,
      text: t`Its schedules, notifications and waiting runs go on. If the original still runs, both will measure, and both will send the same messages.`,
      confirm: t`This is the real one`,
      onConfirm: () => end.mutate({}),
    });
  return (
    <Alert
      role="status"
      variant="light"
      color="yellow"
      mb="md"
      className="no-print"
      title={t`A rehearsal with the backup of ${moment}`}
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm" maw="70ch">
          {t`This server disturbs no original that may still run: it starts no run, fires no schedule and sends no notification. Everything can be read.`}
        </Text>
        {isAdministrator && (
          <Button variant="default" onClick={ask} loading={end.isPending}>
            {t`This is the real one`}…
          </Button>
        )}
      </Group>
      {end.error && <ProblemNotice error={end.error} />}
    </Alert>
  );
}

/** Names the parts that the server lacks, above every page, and what it rehearses; renders nothing while all is well. */
export function SystemNotice() {
  const { data } = useReadiness();
  if (!data) return null;
  return (
    <>
      {data.rehearsal_of && <RehearsalNotice backupOf={data.rehearsal_of} />}
      <LackNotice readiness={data} />
    </>
  );
}

function LackNotice({ readiness: data }: { readiness: Readiness }) {
  const wrong = Object.entries({ ...data.parts, coordinator: data.coordinator, jobs: data.jobs }).filter(
    ([, state]) => state !== 'ok',
  );
  if (wrong.length === 0) return null;
  return (
    <Alert
      role="status"
      variant="light"
      color="red"
      mb="md"
      className="no-print"
      icon={<IconAlertTriangle size={16} />}
      title={t`The server is not working as it should`}
    >
      <List size="sm" listStyleType="none">
        {wrong.map(([part, state]) => (
          <List.Item key={part}>
            <InEnglish>{sentence(part, state)}</InEnglish>
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
