import { t } from '@lingui/core/macro';
import { Field, Fields, Row, SectionFields } from '../fields/Field';
import { ChoiceField } from '../fields/inputs';
import { ListSection } from '../fields/List';
import { Note } from '../fields/Section';
import {
  type BehaviourKind,
  blankUpstreamServer,
  type DraftUpstreamServer,
  withBehaviour,
} from '../model/draft/serverDraft';
import { keysOf, uniqueKey } from '../model/draft/values';
import { withChange } from '../model/paths';
import items from './items.module.css';

const SERVERS = '{{ servers("KEY") }}';

/** Servers that are alike: how many, where, and what they answer. */
export function UpstreamServersSection() {
  return (
    <ListSection<DraftUpstreamServer>
      id="upstream_servers"
      path="upstream_servers"
      label={t`Upstream servers`}
      adds={t`Add upstream server`}
      note={t`Servers behind the nginx under test; each is a separate nginx. In http, ${SERVERS} stands for their addresses.`}
      none={t`None. nginx answers the requests itself.`}
      nameOf={({ key }) => t`upstream ${key}`}
      titleOf={({ key }, number) => {
        const name = key || number;
        return t`Upstream server ${name}`;
      }}
      create={(all) => blankUpstreamServer(uniqueKey('app', keysOf(all)))}
      ordered
      row={items.itemHead}
      below={({ behaviour }, path) => (
        <>
          <Field of="UpstreamServer.server" at={path} />
          <BehaviourFields path={`${path}.behaviour`} kind={behaviour?.kind ?? 'own'} />
          <Field of="UpstreamServer.tls" at={path} />
        </>
      )}
    >
      {({ behaviour }, path) => (
        <Row most={5}>
          <Fields of="UpstreamServer" at={path} only={['key', 'slot', 'instances', 'workers']} />
          <BehaviourChoice path={path} kind={behaviour?.kind ?? 'own'} />
        </Row>
      )}
    </ListSection>
  );
}

interface Props {
  path: string;
  kind: BehaviourKind;
}

/** Ready-made, or written by hand: choosing one drops the other, which undo brings back. */
function BehaviourChoice({ path, kind }: Props) {
  return (
    <ChoiceField
      path={`${path}.behaviour`}
      label={t`Behaviour`}
      chosen={kind}
      options={[
        { value: 'own', label: t`Custom, as below` },
        { value: 'sink', label: t`Sink: reads request bodies` },
        { value: 'slow', label: t`Slow: delays responses` },
      ]}
      change={(draft, next) =>
        withChange<typeof draft, DraftUpstreamServer>(draft, path, (upstream) =>
          withBehaviour(upstream, next as BehaviourKind),
        )
      }
    />
  );
}

/** What a ready-made behaviour is told; nothing for servers that are written by hand. */
function BehaviourFields({ path, kind }: Props) {
  if (kind === 'own') return null;
  if (kind === 'sink') return <SectionFields of="Sink" at={path} />;
  return (
    <div>
      <SectionFields of="Slow" at={path} />
      <Note mt={6}>{t`Requires nginx's Lua module on the host in this slot.`}</Note>
    </div>
  );
}
