import { t } from '@lingui/core/macro';
import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from 'react-router';
import { Dim } from '@/components/ui/Dim';
import { ApiProblem, languageOf, messageOf } from '@/lib/problem';

const titleOf = (error: unknown) => (error instanceof ApiProblem ? error.title : t`Something went wrong`);

const Message = ({ error }: { error: unknown }) => (
  <Text size="sm" lang={languageOf(error)}>
    {messageOf(error)}
  </Text>
);

/** What programs know a problem by; nothing where the server did not answer. */
function Code({ error }: { error: unknown }) {
  return error instanceof ApiProblem && error.status > 0 ? (
    <Dim size="xs">
      {error.status} · {error.code}
    </Dim>
  ) : null;
}

/** The server's account of a problem, and a button to try again. */
export function ProblemNotice({ error, retry }: { error: unknown; retry?: () => void }) {
  return (
    <Alert
      role="alert"
      variant="light"
      color="red"
      icon={<IconAlertTriangle size={16} />}
      title={titleOf(error)}
    >
      <Message error={error} />
      {(retry || error instanceof ApiProblem) && (
        <Group mt="xs" gap="sm">
          {retry && <Button variant="default" onClick={retry}>{t`Try again`}</Button>}
          <Code error={error} />
        </Group>
      )}
    </Alert>
  );
}

/** A link for the reader of a page that has nothing to show. */
export interface WayOut {
  label: string;
  to: string;
}

interface PageProblemProps {
  error: unknown;
  wayOut: WayOut;
  /** Given where another try may succeed. */
  retry?: () => void;
  retryLabel?: string;
}

const GONE = new Set([403, 404, 410]);

/** A page that cannot be shown: why, and the ways on. */
export function PageProblem({ error, wayOut, retry, retryLabel = t`Try again` }: PageProblemProps) {
  const mayPass = !(error instanceof ApiProblem && GONE.has(error.status));
  return (
    <Stack gap="sm" py={40} maw={560} mx="auto" role="alert">
      <Title order={1} lang={languageOf(error)}>
        {titleOf(error)}
      </Title>
      <Message error={error} />
      <Group gap="sm">
        {retry && mayPass && <Button onClick={retry}>{retryLabel}</Button>}
        <Button component={Link} to={wayOut.to} variant={retry && mayPass ? 'default' : 'filled'}>
          {wayOut.label}
        </Button>
      </Group>
      <Code error={error} />
    </Stack>
  );
}
