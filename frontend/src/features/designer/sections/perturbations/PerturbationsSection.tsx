import { t } from '@lingui/core/macro';
import { focusSoon } from '../../fieldRegistry';
import { blankPerturbation, type DraftPerturbation } from '../../model/draft/perturbationDraft';
import { freeKey } from '../../model/draft/values';
import { useItems } from '../../useItems';
import { ItemsSection } from '../ItemsSection';
import { PerturbationEditor } from './PerturbationEditor';

const PATH = 'perturbations';

export function PerturbationsSection() {
  const items = useItems<DraftPerturbation>(PATH, (all) => blankPerturbation(freeKey('reload', all)), 'key');
  function duplicate(index: number) {
    items.put((all) =>
      all.flatMap((one, place) => (place === index ? [one, { ...one, key: freeKey(one.key, all) }] : [one])),
    );
    focusSoon(`${PATH}.${index + 1}.key`);
  }
  return (
    <ItemsSection
      id="perturbations"
      label={t`Perturbations`}
      adds={t`Add perturbation`}
      note={t`Actions during a trial. Times are seconds from the start of the measured window. Every chart marks each action.`}
      none={t`None. Only the streams act on nginx.`}
      items={items}
    >
      {(place) => <PerturbationEditor {...place} onDuplicate={() => duplicate(place.index)} />}
    </ItemsSection>
  );
}
