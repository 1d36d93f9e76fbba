import { SimpleGrid, Text } from '@mantine/core';
import { useDraft } from '../../designerContext';
import { ConfigField } from '../../fields/ConfigField';
import classes from '../../fields/fields.module.css';
import { More } from '../../fields/More';
import { NumberField } from '../../fields/NumberField';
import { PairsField } from '../../fields/PairsField';
import { TextField } from '../../fields/TextField';
import type { DraftStream, Engine } from '../../model/draft/streamDraft';

const isPlain = ({ headers, body, body_bytes, script }: DraftStream) =>
  headers.length === 0 && body === null && body_bytes === null && script === null;

/** What the folded fields are, by engine: "Headers, body, script, timeout". */
function summaryOf(engine: Engine): string {
  const names = ['headers', engine !== 'idle-hold' && 'body', engine === 'wrk' && 'script', 'timeout'];
  const text = names.filter(Boolean).join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function BodySize({ path }: { path: string }) {
  return <NumberField path={`${path}.body_bytes`} label="Body size" unit="B" placeholder="none" optional />;
}

/** What most requests do without. */
export function RequestDetails({ index }: { index: number }) {
  const path = `streams.${index}`;
  const key = useDraft((draft) => draft.streams[index]?.key ?? '');
  const engine = useDraft((draft) => draft.streams[index]?.engine ?? 'wrk');
  const plain = useDraft((draft) => !draft.streams[index] || isPlain(draft.streams[index]));
  return (
    <More summary={summaryOf(engine)} open={!plain}>
      <div>
        <Text size="sm" fw={500} mb={4}>
          Headers
        </Text>
        <PairsField path={`${path}.headers`} noun="header" of={key || `stream ${index + 1}`} textOnly />
      </div>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" className={classes.top}>
        {engine !== 'idle-hold' && <BodySize path={path} />}
        <NumberField path={`${path}.timeout_s`} label="Response timeout" unit="s" />
      </SimpleGrid>
      {engine !== 'idle-hold' && (
        <TextField path={`${path}.body`} label="Body" rows={2} code empty={null} placeholder="none" />
      )}
      {engine === 'wrk' && (
        <ConfigField
          path={`${path}.script`}
          label="Lua script"
          language="lua"
          empty={null}
          description="For wrk. A host runs scripts only if its owner allows it."
        />
      )}
    </More>
  );
}
