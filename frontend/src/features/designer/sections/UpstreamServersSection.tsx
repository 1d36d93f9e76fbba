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

const isNginx = (protocol: DraftUpstreamServer['protocol']) => protocol === 'http' || protocol === 'grpc';

/** What ready-made behaviours are told. */
const SECTIONS = { sink: 'Sink', slow: 'Slow', echo: 'Echo' } as const;

/** Servers that are alike: how many, where, and what they answer. */
export function UpstreamServersSection() {
  return (
    <ListSection<DraftUpstreamServer>
      id="upstream_servers"
      path="upstream_servers"
      label={t`Upstream servers`}
      adds={t`Add upstream server`}
      note={t`Servers behind the nginx under test; each is a separate nginx, or speaks what nginx asks by fastcgi_pass and the like. In http, ${SERVERS} stands for their addresses.`}
      none={t`None. nginx answers the requests itself.`}
      nameOf={({ key }) => t`upstream ${key}`}
      titleOf={({ key }, number) => {
        const name = key || number;
        return t`Upstream server ${name}`;
      }}
      create={(all) => blankUpstreamServer(uniqueKey('app', keysOf(all)))}
      ordered
      row={items.itemHead}
      below={({ behaviour, protocol }, { path }) => (
        <>
          <Field of="UpstreamServer.server" at={path} />
          {behaviour && (
            <div>
              <SectionFields of={SECTIONS[behaviour.kind]} at={`${path}.behaviour`} />
              {behaviour.kind === 'slow' && isNginx(protocol) && (
                <Note mt={6}>{t`Requires nginx's Lua module on the host in this slot.`}</Note>
              )}
            </div>
          )}
          <Field of="UpstreamServer.tls" at={path} />
        </>
      )}
    >
      {({ behaviour }, { path }) => (
        <Row most={6}>
          <Fields of="UpstreamServer" at={path} only={['key', 'slot', 'instances', 'workers', 'protocol']} />
          <BehaviourChoice path={path} kind={behaviour?.kind ?? 'own'} />
        </Row>
      )}
    </ListSection>
  );
}

/** Ready-made, or written by hand: choosing one drops the other, which undo brings back. */
function BehaviourChoice({ path, kind }: { path: string; kind: BehaviourKind }) {
  return (
    <ChoiceField
      path={`${path}.behaviour`}
      label={t`Behaviour`}
      chosen={kind}
      options={[
        { value: 'own', label: t`Custom, as below` },
        { value: 'sink', label: t`Sink: reads request bodies` },
        { value: 'slow', label: t`Slow: delays responses` },
        { value: 'echo', label: t`Echo: WebSocket messages` },
      ]}
      change={(draft, next) =>
        withChange<typeof draft, DraftUpstreamServer>(draft, path, (upstream) =>
          withBehaviour(upstream, next as BehaviourKind),
        )
      }
    />
  );
}
