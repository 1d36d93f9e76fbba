import { t } from '@lingui/core/macro';
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import { ApiProblem, languageOf, messageOf } from '@/lib/problem';

/** A link for the reader of a page that has nothing to show. */
export interface WayOut {
  label: string;
  to: string;
}

interface Props {
  error: unknown;
  wayOut: WayOut;
  /** Given where another try may succeed. */
  retry?: () => void;
  retryLabel?: string;
}

const GONE = new Set([403, 404, 410]);

/** A page that cannot be shown: why, and the ways on. */
export function PageProblem({ error, wayOut, retry, retryLabel = t`Try again` }: Props) {
  const problem = error instanceof ApiProblem ? error : null;
  const mayPass = !problem || !GONE.has(problem.status);
  return (
    <Stack gap="sm" py={40} maw={560} mx="auto" role="alert">
      <Title order={1} lang={languageOf(error)}>
        {problem?.title ?? t`Something went wrong`}
      </Title>
      <Text size="sm" lang={languageOf(error)}>
        {messageOf(error)}
      </Text>
      <Group gap="sm">
        {retry && mayPass && <Button onClick={retry}>{retryLabel}</Button>}
        <Button component={Link} to={wayOut.to} variant={retry && mayPass ? 'default' : 'filled'}>
          {wayOut.label}
        </Button>
      </Group>
      {problem && problem.status > 0 && (
        <Text size="xs" c="var(--text-dim)">
          {problem.status} · {problem.code}
        </Text>
      )}
    </Stack>
  );
}
