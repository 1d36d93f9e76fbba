import { NativeSelect } from '@mantine/core';
import { useDraft, useStore } from '../../designerContext';
import { AddButton } from '../../fields/AddButton';
import { ChoiceField } from '../../fields/ChoiceField';
import { NumberField } from '../../fields/NumberField';
import { RowActions } from '../../fields/RowActions';
import { ProblemLine } from '../../fields/Section';
import { TextField } from '../../fields/TextField';
import { blankGroup, type DraftGroup } from '../../model/draft/serverDraft';
import { freeKey } from '../../model/draft/values';
import { withValue } from '../../model/paths';
import { type Place, useItems } from '../../useItems';
import items from '../items.module.css';
import classes from './UpstreamGroups.module.css';

const PATH = 'nginx.upstreams.groups';

interface Props {
  groups: readonly DraftGroup[];
  /** Whether a group may have an active check of its own. */
  checked: boolean;
}

interface RowProps {
  group: DraftGroup;
  place: Place;
  checked: boolean;
}

function GroupRow({ group, place, checked }: RowProps) {
  const backends = useDraft((draft) => draft.backends);
  const path = `${PATH}.${place.index}`;
  return (
    <div>
      <div className={items.stepRow}>
        <TextField path={`${path}.key`} label="Group" code />
        <NumberField path={`${path}.nodes`} label="Nodes" templated />
        <ChoiceField path={`${path}.backend`} label="Backend" options={backends.map(({ key }) => key)} />
        <RowActions what={`group ${group.key}`} path={PATH} least={1} {...place} onMove={undefined} />
      </div>
      {checked && <OwnCheck path={`${path}.check`} group={group} />}
    </div>
  );
}

/** Groups of nodes, taken in turn from a backend's instances. */
export function UpstreamGroups({ groups, checked }: Props) {
  const { places, add } = useItems<DraftGroup>(
    PATH,
    (all, draft) => blankGroup(freeKey('app', all), draft.backends[0]?.key ?? ''),
    'key',
  );
  return (
    <ProblemLine path={PATH} label="Upstream groups">
      {groups.map((group, index) => {
        const place = places[index];
        // biome-ignore lint/suspicious/noArrayIndexKey: groups are known by their place
        return place && <GroupRow key={index} group={group} place={place} checked={checked} />;
      })}
      <AddButton onClick={add}>Add group</AddButton>
    </ProblemLine>
  );
}

/** Same health check as all groups are, or in its own way, or not at all: an empty text. */
function OwnCheck({ path, group: { key, check } }: { path: string; group: DraftGroup }) {
  const store = useStore();
  return (
    <div className={classes.checkRow}>
      <NativeSelect
        size="xs"
        aria-label={`Health check of ${key}`}
        data={[
          { value: 'all', label: 'Same health check as all' },
          { value: 'own', label: 'Own health check' },
        ]}
        value={check === null ? 'all' : 'own'}
        onChange={(event) => {
          const own = event.currentTarget.value === 'own';
          store.change((draft) => withValue(draft, path, own ? '' : null));
        }}
      />
      {check !== null && (
        <TextField
          path={path}
          label={`Arguments of the health check of ${key}`}
          hideLabel
          code
          size="xs"
          placeholder="off"
        />
      )}
    </div>
  );
}
