import { t } from '@lingui/core/macro';
import { blankUpstreamServer, type DraftUpstreamServer } from '../../model/draft/serverDraft';
import { freeKey } from '../../model/draft/values';
import { useItems } from '../../useItems';
import { ItemsSection } from '../ItemsSection';
import { UpstreamServerEditor } from './UpstreamServerEditor';

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
