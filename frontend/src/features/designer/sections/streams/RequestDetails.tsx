import { t } from '@lingui/core/macro';
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

/** What the folded fields are, by engine. */
function summaryOf(engine: Engine | undefined): string {
  const { sendsBodies, runsScripts } = engineOf(engine);
  if (runsScripts) return t`Headers, body, script, timeout, statuses`;
  return sendsBodies ? t`Headers, body, timeout, statuses` : t`Headers, timeout, statuses`;
}

function BodySize({ path }: { path: string }) {
  return (
    <NumberField path={`${path}.body_bytes`} label={t`Body size`} unit="B" placeholder={t`none`} optional />
  );
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
          label={t`Served statuses`}
          description={t`A response with any other status serves nobody: it is in no rate and no latency.`}
          suggestions={['2xx', '3xx', '404']}
        />
      )}
      <StatusesField
        path={`${path}.rejected_statuses`}
        label={t`Expected rejections`}
        description={
          tellsStatuses
            ? t`Such as 429 where a limit is the question: shown apart, and no errors.`
            : t`Such as 429 where a limit is the question: shown apart, and no errors. wrk counts them; only the open loop tells their latency from that of served requests.`
        }
        suggestions={['429', '503', '4xx', '5xx']}
      />
    </SimpleGrid>
  );
}

/** What most requests do without. */
export function RequestDetails({ index }: { index: number }) {
  const path = `streams.${index}`;
  const number = index + 1;
  const key = useDraft((draft) => draft.streams[index]?.key ?? '');
  const engine = useDraft((draft) => draft.streams[index]?.engine);
  const { sendsBodies, runsScripts } = engineOf(engine);
  const plain = useDraft((draft) => !draft.streams[index] || isPlain(draft.streams[index]));
  return (
    <More summary={summaryOf(engine)} open={!plain}>
      <div>
        <Text size="sm" fw={500} mb={4}>
          {t`Headers`}
        </Text>
        <PairsField path={`${path}.headers`} kind="header" of={key || t`stream ${number}`} textOnly />
      </div>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" className={classes.top}>
        {sendsBodies && <BodySize path={path} />}
        <NumberField path={`${path}.timeout_s`} label={t`Response timeout`} unit="s" />
      </SimpleGrid>
      <Statuses path={path} index={index} />
      {sendsBodies && (
        <TextField path={`${path}.body`} label={t`Body`} rows={2} code empty={null} placeholder={t`none`} />
      )}
      {runsScripts && (
        <ConfigField
          path={`${path}.script`}
          label={t`Lua script`}
          language="lua"
          empty={null}
          description={t`For wrk. A host runs scripts only if its owner allows it.`}
        />
      )}
    </More>
  );
}
