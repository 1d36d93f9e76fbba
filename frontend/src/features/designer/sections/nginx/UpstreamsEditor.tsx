import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { NativeSelect, Switch, Text } from '@mantine/core';
import { Tag } from '@/components/ui/Tag';
import { useDraft, useStore } from '../../designerContext';
import { Field, Row } from '../../fields/Field';
import { TextField } from '../../fields/inputs';
import { AddButton, RowActions } from '../../fields/RowActions';
import { ProblemLine } from '../../fields/Section';
import {
  blankGroup,
  blankUpstreams,
  type DraftGroup,
  type DraftUpstreams,
  type Through,
  withThrough,
} from '../../model/draft/serverDraft';
import { freeKey } from '../../model/draft/values';
import { withChange, withValue } from '../../model/paths';
import { type Place, useItems } from '../ItemsSection';
import items from '../items.module.css';
import classes from './UpstreamGroups.module.css';

const PATH = 'nginx.upstreams';
const UPSTREAM = 'proxy_pass {{ upstream("KEY") }};';

/** Upstream groups whose nodes change while nginx runs; a perturbation changes them. */
export function UpstreamsEditor() {
  const store = useStore();
  const upstreams = useDraft((draft) => draft.nginx.upstreams);
  return (
    <ProblemLine path={PATH} label={t`Dynamic upstreams`}>
      <Switch
        size="xs"
        label={t`Dynamic upstreams`}
        description={t`Groups whose nodes change while nginx runs: ${UPSTREAM}`}
        checked={upstreams !== null}
        onChange={(event) => {
          const { checked } = event.currentTarget;
          store.change((draft) =>
            withValue(draft, PATH, checked ? blankUpstreams(draft.upstream_servers[0]?.key ?? '') : null),
          );
        }}
      />
      {upstreams && <Upstreams upstreams={upstreams} />}
    </ProblemLine>
  );
}

function Upstreams({ upstreams: { through, groups } }: { upstreams: DraftUpstreams }) {
  return (
    <div className={items.framed}>
      <Row>
        <Field
          of="DynamicUpstreams.through"
          at={PATH}
          change={(draft, next: Through) =>
            withChange<typeof draft, DraftUpstreams>(draft, PATH, (own) => withThrough(own, next))
          }
        />
        {through !== 'reload' && <Field of="DynamicUpstreams.read_interval_ms" at={PATH} />}
        {through === 'lua' && <Field of="DynamicUpstreams.lock_us_per_node" at={PATH} />}
      </Row>
      {through !== 'reload' && <Field of="DynamicUpstreams.trylock" at={PATH} />}
      {through === 'tengine' && <Field of="DynamicUpstreams.health_check" at={PATH} />}
      {through === 'lua' && (
        <Text size="xs" c="var(--text-dim)">
          <Trans>
            <Tag>simulated</Tag> Lua does not block. The lock simulates what Tengine's workers do, and every
            page marks it as simulated. 0 turns it off.
          </Trans>
        </Text>
      )}
      <UpstreamGroups groups={groups} checked={through === 'tengine'} />
    </div>
  );
}

const GROUPS = 'nginx.upstreams.groups';

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
  const path = `${GROUPS}.${place.index}`;
  const { key } = group;
  return (
    <div>
      <div className={items.stepRow}>
        <Field of="UpstreamGroup.key" at={path} />
        <Field of="UpstreamGroup.nodes" at={path} />
        <Field of="UpstreamGroup.server" at={path} options={servers.map((server) => server.key)} />
        <RowActions what={t`group ${key}`} path={GROUPS} least={1} {...place} onMove={undefined} />
      </div>
      {checked && <OwnHealthCheck path={`${path}.health_check`} group={group} />}
    </div>
  );
}

/** Groups of nodes, taken in turn from an upstream server's instances. */
function UpstreamGroups({ groups, checked }: Props) {
  const { places, add } = useItems<DraftGroup>(
    GROUPS,
    (all, draft) => blankGroup(freeKey('app', all), draft.upstream_servers[0]?.key ?? ''),
    'key',
  );
  return (
    <ProblemLine path={GROUPS} label={t`Upstream groups`}>
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
