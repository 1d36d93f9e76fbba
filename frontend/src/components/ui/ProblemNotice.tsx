import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { ApiProblem, languageOf, messageOf } from '@/lib/problem';

/** The server's account of a problem, and a button to try again. */
export function ProblemNotice({ error, retry }: { error: unknown; retry?: () => void }) {
  const problem = error instanceof ApiProblem ? error : null;
  return (
    <Alert
      role="alert"
      variant="light"
      color="red"
      icon={<IconAlertTriangle size={16} />}
      title={problem?.title ?? t`Something went wrong`}
    >
      <Text size="sm" lang={languageOf(error)}>
        {messageOf(error)}
      </Text>
      {(retry || problem) && (
        <Group mt="xs" gap="sm">
          {retry && (
            <Button variant="default" onClick={retry}>
              <Trans>Try again</Trans>
            </Button>
          )}
          {problem && problem.status > 0 && (
            <Text size="xs" c="var(--text-dim)">
              {problem.status} · {problem.code}
            </Text>
          )}
        </Group>
      )}
    </Alert>
  );
}
