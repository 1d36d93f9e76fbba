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
      noun="upstream"
      note={
        'Upstream servers, each an nginx of its own. An upstream in http names them by {{ servers("KEY") }}.'
      }
      none="None: nginx answers by itself."
      items={items}
    >
      {(place) => <UpstreamServerEditor {...place} />}
    </ItemsSection>
  );
}
