import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Accordion, Anchor, Badge, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { getApiDocumentOptions } from '@/api/generated';
import { PageHeader } from '@/components/ui/PageHeader';
import { QueryView } from '@/components/ui/QueryView';
import { useSearchState } from '@/lib/useAddress';
import { usePageTitle } from '@/lib/usePageTitle';
import { type ApiDocument, type Entry, entriesByTag } from './document';
import { OperationDetails } from './OperationDetails';

/** The server's own OpenAPI document. It changes with the backend's version only. */
function useApiDocument() {
  return useQuery({
    ...getApiDocumentOptions(),
    select: (document) => document as unknown as ApiDocument,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

function OperationItem({ entry, document }: { entry: Entry; document: ApiDocument }) {
  const { method, path, operation } = entry;
  return (
    <Accordion.Item value={`${method} ${path}`}>
      <Accordion.Control>
        <Group gap="xs" wrap="wrap">
          <Text span size="sm" ff="monospace" fw={600} w={56}>
            {method}
          </Text>
          <Text span size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
            {path}
          </Text>
          <Badge variant="default" size="sm" tt="none">
            {operation['x-caller']}
          </Badge>
        </Group>
      </Accordion.Control>
      <Accordion.Panel>
        <OperationDetails operation={operation} document={document} />
      </Accordion.Panel>
    </Accordion.Item>
  );
}

function Operations({ document, search }: { document: ApiDocument; search: string }) {
  const byTag = entriesByTag(document, search);
  if (byTag.size === 0) return <Text role="status">{t`No operation contains “${search}”.`}</Text>;
  return (
    <Stack gap="lg">
      {[...byTag].map(([tag, entries]) => (
        <section key={tag} aria-label={tag}>
          <Title order={2} size="h4" mb="xs" tt="capitalize">
            {tag}
          </Title>
          <Accordion variant="contained" multiple keepMounted={false}>
            {entries.map((entry) => (
              <OperationItem key={`${entry.method} ${entry.path}`} entry={entry} document={document} />
            ))}
          </Accordion>
        </section>
      ))}
    </Stack>
  );
}

/** Every operation of the API, from the server's own document. */
export default function ApiDocsPage() {
  usePageTitle('API');
  const query = useApiDocument();
  const [search, setSearch] = useSearchState('search', '');
  return (
    <>
      <PageHeader title="API" meta={t`Every operation of this server`} />
      <Text size="sm" mb="md">
        <Trans>
          Send a personal token as <code>Authorization: Bearer …</code>;{' '}
          <Anchor component={Link} to="/account?tab=tokens" inherit underline="always">
            create one on your account
          </Anchor>
          . The word beside a path says who may call it. Programs can read the{' '}
          <Anchor href="/api/v1/openapi.json" inherit underline="always">
            OpenAPI document
          </Anchor>
          .
        </Trans>
      </Text>
      <TextInput
        type="search"
        label={t`Search`}
        placeholder={t`runs, POST, administrator …`}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        maw={420}
        mb="lg"
      />
      <QueryView query={query} skeleton={[120, 240, 240]}>
        {(document) => <Operations document={document} search={search} />}
      </QueryView>
    </>
  );
}
