import { t } from '@lingui/core/macro';
import { blankStream, type DraftStream } from '../../model/draft/streamDraft';
import { freeKey } from '../../model/draft/values';
import { useItems } from '../../useItems';
import { ItemsSection } from '../ItemsSection';
import { StreamEditor } from './StreamEditor';

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
