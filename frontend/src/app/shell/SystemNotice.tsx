import { t } from '@lingui/core/macro';
import { Alert, List } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useReadiness } from '@/api/useReadiness';
import { InEnglish } from '@/components/ui/language/InEnglish';

const names = (): Record<string, string> => ({
  disk: '',
  postgresql: 'PostgreSQL',
  redis: 'Redis',
  live: t`Live updates`,
  coordinator: t`Coordinator`,
});

function sentence(part: string, state: string): string {
  const name = names()[part] ?? part;
  const text = name ? `${name}: ${state}` : state;
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

/** What the server lacks, in its own words, above every page; nothing while all is well. */
export function SystemNotice() {
  const { data } = useReadiness();
  if (!data) return null;
  const wrong = Object.entries({ ...data.parts, coordinator: data.coordinator }).filter(
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
