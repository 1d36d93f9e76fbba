import { t } from '@lingui/core/macro';
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
  /** Whether a group may have an active health check of its own. */
  checked: boolean;
}

interface RowProps {
  group: DraftGroup;
  place: Place;
  checked: boolean;
}

function GroupRow({ group, place, checked }: RowProps) {
  const servers = useDraft((draft) => draft.upstream_servers);
  const path = `${PATH}.${place.index}`;
  const { key } = group;
  return (
    <div>
      <div className={items.stepRow}>
        <TextField path={`${path}.key`} label={t`Group`} code />
        <NumberField path={`${path}.nodes`} label={t`Nodes`} templated />
        <ChoiceField
          path={`${path}.server`}
          label={t`Upstream server`}
          options={servers.map((server) => server.key)}
        />
        <RowActions what={t`group ${key}`} path={PATH} least={1} {...place} onMove={undefined} />
      </div>
      {checked && <OwnHealthCheck path={`${path}.health_check`} group={group} />}
    </div>
  );
}

/** Groups of nodes, taken in turn from an upstream server's instances. */
export function UpstreamGroups({ groups, checked }: Props) {
  const { places, add } = useItems<DraftGroup>(
    PATH,
    (all, draft) => blankGroup(freeKey('app', all), draft.upstream_servers[0]?.key ?? ''),
    'key',
  );
  return (
    <ProblemLine path={PATH} label={t`Upstream groups`}>
      {groups.map((group, index) => {
        const place = places[index];
        // biome-ignore lint/suspicious/noArrayIndexKey: groups are known by their place
        return place && <GroupRow key={index} group={group} place={place} checked={checked} />;
      })}
      <AddButton onClick={add}>{t`Add group`}</AddButton>
    </ProblemLine>
  );
}

/** The health check of all groups, or its own, or none: an empty text. */
function OwnHealthCheck({ path, group: { key, health_check } }: { path: string; group: DraftGroup }) {
  const store = useStore();
  return (
    <div className={classes.checkRow}>
      <NativeSelect
        size="xs"
        aria-label={t`Health check of ${key}`}
        data={[
          { value: 'all', label: t`Same health check as all` },
          { value: 'own', label: t`Own health check` },
        ]}
        value={health_check === null ? 'all' : 'own'}
        onChange={(event) => {
          const own = event.currentTarget.value === 'own';
          store.change((draft) => withValue(draft, path, own ? '' : null));
        }}
      />
      {health_check !== null && (
        <TextField
          path={path}
          label={t`Arguments of the health check of ${key}`}
          hideLabel
          code
          size="xs"
          placeholder={t({ message: 'off', context: 'health check' })}
        />
      )}
    </div>
  );
}
