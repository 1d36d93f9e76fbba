import { t } from '@lingui/core/macro';
import { SimpleGrid, Text } from '@mantine/core';
import { DEFAULT_ENGINE, type Engine, engineChoices, engineOf } from '@/domain/engines';
import { useDraft } from '../../designerContext';
import { Field, Row } from '../../fields/Field';
import fields from '../../fields/fields.module.css';
import { StatusesField } from '../../fields/inputs';
import { PairsField } from '../../fields/PairsField';
import { RowActions } from '../../fields/RowActions';
import { More, ProblemLine } from '../../fields/Section';
import { blankStream, type DraftStream, SERVED, withEngine } from '../../model/draft/streamDraft';
import { freeKey } from '../../model/draft/values';
import { withChange } from '../../model/paths';
import { ItemsSection, type Place, useItems } from '../ItemsSection';
import items from '../items.module.css';
import { EngineFields } from './EngineFields';

export function StreamsSection() {
  const items = useItems<DraftStream>('streams', (all) => blankStream(freeKey('stream', all)), 'key');
  return (
    <ItemsSection
      id="load"
      label={t`Streams`}
      adds={t`Add stream`}
      note={t`Streams of requests. All streams of a trial start at the same time; offsets count from the start of warm-up.`}
      items={items}
    >
      {(place) => <StreamEditor {...place} />}
    </ItemsSection>
  );
}

/** What is asked for, and during which part of the trial. */
function RequestFields({ path, isMany }: { path: string; isMany: boolean }) {
  return (
    <Row>
      <Field of="Stream.method" at={path} maxLength={20} />
      {isMany ? <Field of="PathChoice.pattern" at={`${path}.paths`} /> : <Field of="Stream.path" at={path} />}
      <Field of="Stream.start_offset_s" at={path} />
      <Field of="Stream.duration_s" at={path} />
    </Row>
  );
}

/** One generator's part of the load. */
function StreamEditor(place: Place) {
  const { index } = place;
  const path = `streams.${index}`;
  const key = useDraft((draft) => draft.streams[index]?.key ?? '');
  const name = key || index + 1;
  const engine = useDraft((draft) => draft.streams[index]?.engine ?? DEFAULT_ENGINE);
  const isMany = useDraft((draft) => draft.streams[index]?.paths != null);
  return (
    <fieldset className={items.factor}>
      <legend className="visually-hidden">{t`Stream ${key}`}</legend>
      <div className={items.itemHead}>
        <Row>
          <Field of="Stream.key" at={path} />
          <Field of="Stream.slot" at={path} />
          <Field
            of="Stream.engine"
            at={path}
            options={engineChoices()}
            change={(draft, next: Engine) =>
              withChange<typeof draft, DraftStream>(draft, path, (stream) => withEngine(stream, next))
            }
          />
          <Field of="Stream.connections" at={path} />
        </Row>
        <RowActions what={t`stream ${key}`} path="streams" least={1} {...place} />
      </div>
      <RequestFields path={path} isMany={isMany} />
      <EngineFields path={path} engine={engine} />
      <RequestDetails index={index} />
      <ProblemLine path={path} label={t`Stream ${name}`} />
    </fieldset>
  );
}

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
function RequestDetails({ index }: { index: number }) {
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
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" className={fields.top}>
        {sendsBodies && <Field of="Stream.body_bytes" at={path} />}
        <Field of="Stream.timeout_s" at={path} />
      </SimpleGrid>
      <Statuses path={path} index={index} />
      {sendsBodies && <Field of="Stream.body" at={path} rows={2} />}
      {runsScripts && <Field of="Stream.script" at={path} />}
    </More>
  );
}
