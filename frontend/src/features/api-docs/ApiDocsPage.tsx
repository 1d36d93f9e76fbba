import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Accordion, Anchor, Badge, Code, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { getApiDocumentOptions } from '@/api/generated';
import { Dim } from '@/components/ui/Dim';
import { PageHeader } from '@/components/ui/PageHeader';
import { QueryView } from '@/components/ui/QueryView';
import { useSearchState } from '@/lib/useAddress';
import { usePageTitle } from '@/lib/usePageTitle';

/** The parts of an OpenAPI 3.1 document that the page shows. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  const?: unknown;
  enum?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}

type Content = Record<string, { schema?: Schema }>;

interface Operation {
  description?: string;
  tags?: string[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { description?: string; content?: Content }>;
  'x-caller': string;
}

interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const DEEPEST = 4;

/** A schema as people write types: names of fields, `?` for those that may be left out. */
function shapeOf(schema: Schema, document: ApiDocument, depth = 0): string {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    const target = document.components.schemas[name];
    return target && depth < DEEPEST ? shapeOf(target, document, depth) : name;
  }
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return [...new Set(variants.map((one) => shapeOf(one, document, depth)))].join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.items) return `[${shapeOf(schema.items, document, depth)}, …]`;
  if (schema.properties) return objectShape(schema, document, depth);
  if (typeof schema.additionalProperties === 'object') {
    return `{ name: ${shapeOf(schema.additionalProperties, document, depth + 1)}, … }`;
  }
  const type = Array.isArray(schema.type) ? schema.type.join(' | ') : (schema.type ?? 'anything');
  return schema.format ? `${type} (${schema.format})` : type;
}

function objectShape(schema: Schema, document: ApiDocument, depth: number): string {
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return '{}';
  if (depth >= DEEPEST) return '{…}';
  const indent = '  '.repeat(depth + 1);
  const lines = fields.map(([name, field]) => {
    const optional = schema.required?.includes(name) ? '' : '?';
    return `${indent}${name}${optional}: ${shapeOf(field, document, depth + 1)}`;
  });
  return `{\n${lines.join('\n')}\n${'  '.repeat(depth)}}`;
}

interface Entry {
  method: string;
  path: string;
  operation: Operation;
}

/** The operations that contain every word of the search, by their tag. */
function entriesByTag(document: ApiDocument, search: string): Map<string, Entry[]> {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = new Map<string, Entry[]>();
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const text = `${method} ${path} ${operation.description ?? ''} ${operation['x-caller']}`.toLowerCase();
      if (!words.every((word) => text.includes(word))) continue;
      const tag = operation.tags?.[0] ?? 'other';
      found.set(tag, [...(found.get(tag) ?? []), { method: method.toUpperCase(), path, operation }]);
    }
  }
  return found;
}

/** The parameters, bodies and good answers of an operation, as blocks of text. */
function sectionsOf({ parameters = [], requestBody, responses }: Operation, document: ApiDocument) {
  const takes = parameters.map(
    (one) => `${one.name}${one.required ? '' : '?'} (${one.in}): ${shapeOf(one.schema, document)}`,
  );
  const bodies = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => ({
    title: t`Body, ${type}`,
    text: schema ? shapeOf(schema, document) : 'anything',
  }));
  const answers = Object.entries(responses).flatMap(([status, { content = {} }]) =>
    Object.entries(content).flatMap(([type, { schema }]) =>
      schema && Number(status) < 400
        ? [{ title: t`Answer ${status}, ${type}`, text: shapeOf(schema, document) }]
        : [],
    ),
  );
  return [
    ...(takes.length > 0 ? [{ title: t`Parameters`, text: takes.join('\n') }] : []),
    ...bodies,
    ...answers,
  ];
}

function OperationDetails({ operation, document }: { operation: Operation; document: ApiDocument }) {
  const statuses = Object.keys(operation.responses).join(', ');
  return (
    <Stack gap="sm">
      <Text size="sm" lang="en">
        {operation.description}
      </Text>
      {sectionsOf(operation, document).map(({ title, text }) => (
        <Stack key={title} gap={4}>
          <Text size="xs" fw={600}>
            {title}
          </Text>
          {/* A long block scrolls sideways, also by the keyboard. */}
          <Code block tabIndex={0} role="region" aria-label={title}>
            {text}
          </Code>
        </Stack>
      ))}
      <Dim size="xs">{t`Statuses: ${statuses}. Errors are problem documents (RFC 9457).`}</Dim>
    </Stack>
  );
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
  const query = useQuery({
    ...getApiDocumentOptions(),
    select: (document) => document as unknown as ApiDocument,
    staleTime: Number.POSITIVE_INFINITY, // it changes with the backend's version only
  });
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
