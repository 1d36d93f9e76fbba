import { Button, NativeSelect } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useDraft, useStore } from '../../designerContext';
import { focusSoon } from '../../fieldRegistry';
import { ChoiceField } from '../../fields/ChoiceField';
import { NumberField } from '../../fields/NumberField';
import { RowActions } from '../../fields/RowActions';
import { ProblemLine } from '../../fields/Section';
import { TextField } from '../../fields/TextField';
import { blankGroup, type DraftGroup } from '../../model/draft/serverDraft';
import { uniqueKey } from '../../model/draft/values';
import { withValue } from '../../model/paths';
import items from '../items.module.css';
import classes from './UpstreamGroups.module.css';

const PATH = 'nginx.upstreams.groups';

interface Props {
  groups: readonly DraftGroup[];
  /** Whether a group may have an active check of its own. */
  checked: boolean;
}

/** Groups of nodes, taken in turn from an upstream server's instances. */
export function UpstreamGroups({ groups, checked }: Props) {
  const store = useStore();
  const upstream_servers = useDraft((draft) => draft.upstream_servers);
  const put = (next: readonly DraftGroup[]) => store.change((draft) => withValue(draft, PATH, next));
  function add() {
    const key = uniqueKey(
      'app',
      groups.map((group) => group.key),
    );
    put([...groups, blankGroup(key, upstream_servers[0]?.key ?? '')]);
    focusSoon(`${PATH}.${groups.length}.key`);
  }
  return (
    <ProblemLine path={PATH} label="Upstream groups">
      {groups.map((group, index) => {
        const path = `${PATH}.${index}`;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: groups are known by their place
          <div key={index}>
            <div className={items.stepRow}>
              <TextField path={`${path}.key`} label="Group" code />
              <NumberField path={`${path}.nodes`} label="Nodes" templated />
              <ChoiceField
                path={`${path}.upstream`}
                label="of upstream"
                options={upstream_servers.map(({ key }) => key)}
              />
              <RowActions
                what={`group ${group.key}`}
                path={PATH}
                index={index}
                count={groups.length}
                least={1}
                onRemove={() => put(groups.filter((_, place) => place !== index))}
              />
            </div>
            {checked && <OwnCheck path={`${path}.check`} group={group} />}
          </div>
        );
      })}
      <Button
        variant="subtle"
        color="gray"
        size="compact-xs"
        leftSection={<IconPlus size={12} />}
        onClick={add}
      >
        Add group
      </Button>
    </ProblemLine>
  );
}

/** Checked as all groups are, or in its own way, or not at all: an empty text. */
function OwnCheck({ path, group: { key, check } }: { path: string; group: DraftGroup }) {
  const store = useStore();
  return (
    <div className={classes.checkRow}>
      <NativeSelect
        size="xs"
        aria-label={`Active check of ${key}`}
        data={[
          { value: 'all', label: 'Checked as all' },
          { value: 'own', label: 'Checked by' },
        ]}
        value={check === null ? 'all' : 'own'}
        onChange={(event) => {
          const own = event.currentTarget.value === 'own';
          store.change((draft) => withValue(draft, path, own ? '' : null));
        }}
      />
      {check !== null && (
        <TextField path={path} label={`Check of ${key}`} hideLabel code size="xs" placeholder="off" />
      )}
    </div>
  );
}
