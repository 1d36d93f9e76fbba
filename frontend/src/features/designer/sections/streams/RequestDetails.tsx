import { SimpleGrid, Text } from '@mantine/core';
import { type Engine, engineOf } from '@/domain/engines';
import { useDraft } from '../../designerContext';
import { ConfigField } from '../../fields/ConfigField';
import classes from '../../fields/fields.module.css';
import { More } from '../../fields/More';
import { NumberField } from '../../fields/NumberField';
import { PairsField } from '../../fields/PairsField';
import { TextField } from '../../fields/TextField';
import type { DraftStream } from '../../model/draft/streamDraft';

const isPlain = ({ headers, body, body_bytes, script }: DraftStream) =>
  headers.length === 0 && body === null && body_bytes === null && script === null;

/** What the folded fields are, by engine: "Headers, body, script, timeout". */
function summaryOf(engine: Engine | undefined): string {
  const { sendsBodies, runsScripts } = engineOf(engine);
  const names = ['headers', sendsBodies && 'body', runsScripts && 'script', 'timeout'];
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
  const engine = useDraft((draft) => draft.streams[index]?.engine);
  const { sendsBodies, runsScripts } = engineOf(engine);
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
        {sendsBodies && <BodySize path={path} />}
        <NumberField path={`${path}.timeout_s`} label="Response timeout" unit="s" />
      </SimpleGrid>
      {sendsBodies && (
        <TextField path={`${path}.body`} label="Body" rows={2} code empty={null} placeholder="none" />
      )}
      {runsScripts && (
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
