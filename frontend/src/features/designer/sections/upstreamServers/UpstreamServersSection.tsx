import { blankUpstreamServer, type DraftUpstreamServer } from '../../model/draft/serverDraft';
import { freeKey } from '../../model/draft/values';
import { useItems } from '../../useItems';
import { ItemsSection } from '../ItemsSection';
import { UpstreamServerEditor } from './UpstreamServerEditor';

export function UpstreamServersSection() {
  const items = useItems<DraftUpstreamServer>(
    'upstream_servers',
    (all) => blankUpstreamServer(freeKey('app', all)),
    'key',
  );
  return (
    <ItemsSection
      id="upstream_servers"
      label="Upstream servers"
      noun="upstream server"
      note={
        'Servers behind the nginx under test; each is a separate nginx. In http, {{ servers("KEY") }} stands for their addresses.'
      }
      none="None. nginx answers the requests itself."
      items={items}
    >
      {(place) => <UpstreamServerEditor {...place} />}
    </ItemsSection>
  );
}
