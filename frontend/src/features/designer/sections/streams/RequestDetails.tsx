import { SimpleGrid, Text } from '@mantine/core';
import { type Engine, engineOf } from '@/domain/engines';
import { useDraft } from '../../designerContext';
import { ConfigField } from '../../fields/ConfigField';
import classes from '../../fields/fields.module.css';
import { More } from '../../fields/More';
import { NumberField } from '../../fields/NumberField';
import { PairsField } from '../../fields/PairsField';
import { StatusesField } from '../../fields/StatusesField';
import { TextField } from '../../fields/TextField';
import { type DraftStream, SERVED } from '../../model/draft/streamDraft';

const servesUsual = ({ served_statuses }: DraftStream) => String(served_statuses) === String(SERVED);

const isPlain = (stream: DraftStream) =>
  stream.headers.length === 0 &&
  stream.body === null &&
  stream.body_bytes === null &&
  stream.script === null &&
  stream.rejected_statuses.length === 0 &&
  servesUsual(stream);

/** What the folded fields are, by engine: "Headers, body, script, timeout". */
function summaryOf(engine: Engine | undefined): string {
  const { sendsBodies, runsScripts } = engineOf(engine);
  const names = ['headers', sendsBodies && 'body', runsScripts && 'script', 'timeout', 'statuses'];
  const text = names.filter(Boolean).join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function BodySize({ path }: { path: string }) {
  return <NumberField path={`${path}.body_bytes`} label="Body size" unit="B" placeholder="none" optional />;
}

/** Which responses serve a request, and which others are no errors. */
function Statuses({ path, index }: { path: string; index: number }) {
  const engine = useDraft((draft) => draft.streams[index]?.engine);
  const usual = useDraft((draft) => !draft.streams[index] || servesUsual(draft.streams[index]));
  const { tellsStatuses } = engineOf(engine);
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      {(tellsStatuses || !usual) && (
        <StatusesField
          path={`${path}.served_statuses`}
          label="Served statuses"
          description="A response with any other status serves nobody: it is in no rate and no latency."
          suggestions={['2xx', '3xx', '404']}
        />
      )}
      <StatusesField
        path={`${path}.rejected_statuses`}
        label="Expected rejections"
        description={`Such as 429 where a limit is the question: shown apart, and no errors.${
          tellsStatuses
            ? ''
            : ' wrk counts them; only the open loop tells their latency from that of served requests.'
        }`}
        suggestions={['429', '503', '4xx', '5xx']}
      />
    </SimpleGrid>
  );
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
      <Statuses path={path} index={index} />
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
