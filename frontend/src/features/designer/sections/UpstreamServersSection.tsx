import { t } from '@lingui/core/macro';
import { NativeSelect, Text } from '@mantine/core';
import { textOfProblems, useDraft, useField, useStore, useValue } from '../designerContext';
import { Field, Fields, Row } from '../fields/Field';
import { RowActions } from '../fields/RowActions';
import { ProblemLine } from '../fields/Section';
import {
  blankUpstreamServer,
  type DraftBehaviour,
  type DraftUpstreamServer,
  withBehaviour,
} from '../model/draft/serverDraft';
import { freeKey } from '../model/draft/values';
import { withChange } from '../model/paths';
import { ItemsSection, type Place, useItems } from './ItemsSection';
import items from './items.module.css';

const SERVERS = '{{ servers("KEY") }}';

export function UpstreamServersSection() {
  const items = useItems<DraftUpstreamServer>(
    'upstream_servers',
    (all) => blankUpstreamServer(freeKey('app', all)),
    'key',
  );
  return (
    <ItemsSection
      id="upstream_servers"
      label={t`Upstream servers`}
      adds={t`Add upstream server`}
      note={t`Servers behind the nginx under test; each is a separate nginx. In http, ${SERVERS} stands for their addresses.`}
      none={t`None. nginx answers the requests itself.`}
      items={items}
    >
      {(place) => <UpstreamServerEditor {...place} />}
    </ItemsSection>
  );
}

/** Servers that are alike: how many, where, and what they answer. */
function UpstreamServerEditor(place: Place) {
  const { index } = place;
  const path = `upstream_servers.${index}`;
  const key = useDraft((draft) => draft.upstream_servers[index]?.key ?? '');
  const name = key || index + 1;
  const kind = useDraft((draft) => draft.upstream_servers[index]?.behaviour?.kind ?? 'own');
  return (
    <fieldset className={items.factor}>
      <legend className="visually-hidden">{t`Upstream server ${key}`}</legend>
      <div className={items.itemHead}>
        <Row most={5}>
          <Field of="UpstreamServer.key" at={path} />
          <Field of="UpstreamServer.slot" at={path} />
          <Field of="UpstreamServer.instances" at={path} />
          <Field of="UpstreamServer.workers" at={path} />
          <BehaviourSelect path={path} kind={kind} />
        </Row>
        <RowActions what={t`upstream ${key}`} path="upstream_servers" {...place} />
      </div>
      <ProblemLine path={path} label={t`Upstream server ${name}`} />
      {kind === 'own' && <Field of="UpstreamServer.server" at={path} rows={3} />}
      <BehaviourFields path={`${path}.behaviour`} kind={kind} />
      <Field of="UpstreamServer.tls" at={path} />
    </fieldset>
  );
}

/** `own`: a fragment of configuration that is written by hand. */
type Kind = DraftBehaviour['kind'] | 'own';

const behaviours = () => [
  { value: 'own', label: t`Custom, as below` },
  { value: 'sink', label: t`Sink: reads request bodies` },
  { value: 'slow', label: t`Slow: delays responses` },
];

/** Ready-made, or written by hand: choosing one drops the other, which undo brings back. */
function BehaviourSelect({ path, kind }: { path: string; kind: Kind }) {
  const store = useStore();
  const problems = useField(`${path}.behaviour`, t`Behaviour`);
  return (
    <NativeSelect
      data-field={`${path}.behaviour`}
      label={t`Behaviour`}
      size="sm"
      data={behaviours()}
      value={kind}
      error={textOfProblems(problems)}
      onChange={(event) => {
        const next = event.currentTarget.value as Kind;
        store.change((draft) =>
          withChange<typeof draft, DraftUpstreamServer>(draft, path, (upstream) =>
            withBehaviour(upstream, next),
          ),
        );
      }}
    />
  );
}

function SlowFields({ path }: { path: string }) {
  const distribution = useValue<string>(`${path}.distribution`);
  return (
    <div>
      <Row>
        <Field of="Slow.delay_ms" at={path} />
        <Field of="Slow.distribution" at={path} />
        {distribution === 'uniform' && <Field of="Slow.spread_ms" at={path} />}
        <Field of="Slow.response_bytes" at={path} />
      </Row>
      <Text size="xs" c="var(--text-dim)" mt={6}>
        {t`Requires nginx's Lua module on the host in this slot.`}
      </Text>
    </div>
  );
}

/** What a ready-made behaviour is told; nothing for servers that are written by hand. */
function BehaviourFields({ path, kind }: { path: string; kind: Kind }) {
  if (kind === 'slow') return <SlowFields path={path} />;
  return kind === 'sink' ? (
    <Row>
      <Fields of="Sink" at={path} />
    </Row>
  ) : null;
}
