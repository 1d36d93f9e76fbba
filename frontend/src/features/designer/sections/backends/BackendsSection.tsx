import { blankBackend, type DraftBackend } from '../../model/draft/serverDraft';
import { freeKey } from '../../model/draft/values';
import { useItems } from '../../useItems';
import { ItemsSection } from '../ItemsSection';
import { BackendEditor } from './BackendEditor';

export function BackendsSection() {
  const items = useItems<DraftBackend>('backends', (all) => blankBackend(freeKey('app', all)), 'key');
  return (
    <ItemsSection
      id="backends"
      label="Backends"
      noun="backend"
      note={
        'Upstream servers; each is a separate nginx. In http, {{ backend("KEY") }} stands for their addresses.'
      }
      none="None. nginx answers the requests itself."
      items={items}
    >
      {(place) => <BackendEditor {...place} />}
    </ItemsSection>
  );
}
