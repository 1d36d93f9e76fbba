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
      label="Perturbations"
      noun="perturbation"
      note="Actions during a trial. Times are seconds of the measured window; each action is marked on every chart."
      none="None: nothing happens but the load."
      items={items}
    >
      {(place) => <PerturbationEditor {...place} onDuplicate={() => duplicate(place.index)} />}
    </ItemsSection>
  );
}
