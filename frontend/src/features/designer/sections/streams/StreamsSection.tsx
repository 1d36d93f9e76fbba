import { t } from '@lingui/core/macro';
import { SimpleGrid, Text } from '@mantine/core';
import { type Engine, engineOf } from '@/domain/engines';
import { Field, Fields, Row } from '../../fields/Field';
import fields from '../../fields/fields.module.css';
import { StatusesField } from '../../fields/inputs';
import { ListSection } from '../../fields/List';
import { More } from '../../fields/Section';
import { blankStream, type DraftStream, servesUsual } from '../../model/draft/streamDraft';
import { keysOf, uniqueKey } from '../../model/draft/values';
import items from '../items.module.css';
import { EngineFields } from './EngineFields';
import { HeadersField } from './HeadersField';

/** The load, by generators. */
export function StreamsSection() {
  return (
    <ListSection<DraftStream>
      id="load"
      path="streams"
      label={t`Streams`}
      adds={t`Add stream`}
      note={t`Streams of requests. All streams of a trial start at the same time; offsets count from the start of warm-up.`}
      nameOf={({ key }) => t`stream ${key}`}
      titleOf={({ key }, number) => {
        const name = key || number;
        return t`Stream ${name}`;
      }}
      create={(all) => blankStream(uniqueKey('stream', keysOf(all)))}
      least={1}
      ordered
      row={items.itemHead}
      below={(stream, { path, number }) => (
        <>
          <Row>
            <Fields of="Stream" at={path} only={['method', 'path']} />
            {stream.paths && <Field of="PathChoice.pattern" at={`${path}.paths`} />}
            <Fields of="Stream" at={path} only={['start_offset_s', 'duration_s']} />
          </Row>
          <EngineFields path={path} engine={stream.engine} />
          <RequestDetails path={path} stream={stream} number={number} />
        </>
      )}
    >
      {(_, { path }) => (
        <Row>
          <Fields of="Stream" at={path} only={['key', 'slot', 'engine', 'connections']} />
        </Row>
      )}
    </ListSection>
  );
}

const isPlain = (stream: DraftStream) =>
  stream.headers.length === 0 &&
  stream.body === null &&
  stream.body_bytes === null &&
  stream.script === null &&
  stream.rejected_statuses.length === 0 &&
  servesUsual(stream);

/** What the folded fields are, by engine. */
function summaryOf(engine: Engine): string {
  const { sendsBodies, runsScripts } = engineOf(engine);
  if (runsScripts) return t`Headers, body, script, timeout, statuses`;
  return sendsBodies ? t`Headers, body, timeout, statuses` : t`Headers, timeout, statuses`;
}

interface Props {
  path: string;
  stream: DraftStream;
}

/** Which responses serve a request, and which others are no errors. */
function Statuses({ path, stream }: Props) {
  const { tellsStatuses } = engineOf(stream.engine);
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      {(tellsStatuses || !servesUsual(stream)) && (
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
function RequestDetails({ path, stream, number }: Props & { number: number }) {
  return (
    <More summary={summaryOf(stream.engine)} open={!isPlain(stream)}>
      <div>
        <Text size="sm" fw={500} mb={4}>
          {t`Headers`}
        </Text>
        <HeadersField path={`${path}.headers`} of={stream.key || t`stream ${number}`} />
      </div>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" className={fields.top}>
        <Fields of="Stream" at={path} only={['body_bytes', 'timeout_s']} />
      </SimpleGrid>
      <Statuses path={path} stream={stream} />
      <Fields of="Stream" at={path} only={['body', 'script']} />
    </More>
  );
}
