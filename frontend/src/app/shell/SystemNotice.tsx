import { t } from '@lingui/core/macro';
import { Alert, List } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { Readiness } from '@/api/generated';
import { InEnglish } from '@/components/ui/language/InEnglish';

const ASK_EVERY_MS = 60_000;
const ASK_AGAIN_MS = 5_000;

/** The answer is the same message whether the server is ready (200) or not (503), so it is no problem to be thrown. */
async function fetchReadiness(signal: AbortSignal): Promise<Readiness | null> {
  const answer = await fetch(new Request(new URL('/readyz', window.location.origin), { signal }));
  const isMessage = answer.headers.get('Content-Type')?.startsWith('application/json');
  return isMessage ? ((await answer.json()) as Readiness) : null;
}

export const readinessKey = ['readiness'] as const;

/** Whether the server has all it needs; `null` where another server answers in its place. */
export function useReadiness() {
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

/** Names the parts that the server lacks, above every page; renders nothing while all is well. */
export function SystemNotice() {
  const { data } = useReadiness();
  if (!data) return null;
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
