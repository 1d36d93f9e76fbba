import { t } from '@lingui/core/macro';
import { Code, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiDocument, Operation } from './document';
import { shapeOf } from './document';

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap={4}>
      <Text size="xs" fw={600}>
        {title}
      </Text>
      {children}
    </Stack>
  );
}

function Block({ label, text }: { label: string; text: string }) {
  return (
    // A long block scrolls sideways, also by the keyboard.
    <Code block tabIndex={0} role="region" aria-label={label}>
      {text}
    </Code>
  );
}

/** The forms of what is answered if all goes well. */
function answersOf({ responses }: Operation, document: ApiDocument) {
  return Object.entries(responses).flatMap(([status, answer]) =>
    Object.entries(answer.content ?? {}).flatMap(([type, { schema }]) =>
      schema && Number(status) < 400 ? [{ status, type, text: shapeOf(schema, document) }] : [],
    ),
  );
}

/** The parameters, body and answers of one operation. */
export function OperationDetails({ operation, document }: { operation: Operation; document: ApiDocument }) {
  const parameters = operation.parameters ?? [];
  const bodies = Object.entries(operation.requestBody?.content ?? {});
  const answers = answersOf(operation, document);
  const statuses = Object.keys(operation.responses).join(', ');
  return (
    <Stack gap="sm">
      <Text size="sm" lang="en">
        {operation.description}
      </Text>
      {parameters.length > 0 && (
        <Section title={t`Parameters`}>
          <Block
            label={t`Parameters`}
            text={parameters
              .map(
                (one) =>
                  `${one.name}${one.required ? '' : '?'} (${one.in}): ${shapeOf(one.schema, document)}`,
              )
              .join('\n')}
          />
        </Section>
      )}
      {bodies.map(([type, { schema }]) => (
        <Section key={type} title={t`Body, ${type}`}>
          <Block label={t`Body, ${type}`} text={schema ? shapeOf(schema, document) : 'anything'} />
        </Section>
      ))}
      {answers.map(({ status, type, text }) => (
        <Section key={status + type} title={t`Answer ${status}, ${type}`}>
          <Block label={t`Answer ${status}, ${type}`} text={text} />
        </Section>
      ))}
      <Text size="xs" c="var(--text-dim)">
        {t`Statuses: ${statuses}. Errors are problem documents (RFC 9457).`}
      </Text>
    </Stack>
  );
}
