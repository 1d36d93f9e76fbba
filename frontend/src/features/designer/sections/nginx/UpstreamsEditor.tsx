import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { SimpleGrid, Switch, Text } from '@mantine/core';
import { Tag } from '@/components/ui/badges/Tag';
import { useDraft, useStore } from '../../designerContext';
import { ChoiceField } from '../../fields/ChoiceField';
import fields from '../../fields/fields.module.css';
import { NumberField } from '../../fields/NumberField';
import { ProblemLine } from '../../fields/Section';
import { SwitchField } from '../../fields/SwitchField';
import { TextField } from '../../fields/TextField';
import {
  blankUpstreams,
  type DraftUpstreams,
  type Through,
  withThrough,
} from '../../model/draft/serverDraft';
import { withChange, withValue } from '../../model/paths';
import classes from '../items.module.css';
import { UpstreamGroups } from './UpstreamGroups';

const PATH = 'nginx.upstreams';
const UPSTREAM = 'proxy_pass {{ upstream("KEY") }};';

const ways = (): readonly { value: Through; label: string }[] => [
  { value: 'lua', label: t`dyups API in Lua` },
  { value: 'tengine', label: 'Tengine dyups' },
  { value: 'reload', label: t`file and reload` },
];

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

/** By which way groups are changed. */
function ThroughChoice() {
  return (
    <ChoiceField
      path={`${PATH}.through`}
      label={t`Changed by`}
      options={ways()}
      change={(draft, next) =>
        withChange<typeof draft, DraftUpstreams>(draft, PATH, (own) => withThrough(own, next as Through))
      }
    />
  );
}

function Upstreams({ upstreams: { through, groups } }: { upstreams: DraftUpstreams }) {
  return (
    <div className={classes.framed}>
      <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={fields.top}>
        <ThroughChoice />
        {through !== 'reload' && (
          <NumberField path={`${PATH}.read_interval_ms`} label={t`Workers poll every`} unit="ms" templated />
        )}
        {through === 'lua' && (
          <NumberField path={`${PATH}.lock_us_per_node`} label={t`Lock held per node`} unit="µs" templated />
        )}
      </SimpleGrid>
      {through !== 'reload' && (
        <SwitchField path={`${PATH}.trylock`} label={t`Answer 409 while the lock is held`} />
      )}
      {through === 'tengine' && (
        <TextField
          path={`${PATH}.health_check`}
          label={t`Health check`}
          code
          placeholder={t({ message: 'off', context: 'health check' })}
          description={t`Arguments of Tengine's check directive, such as interval=3000 rise=2 fall=5 timeout=1000 type=tcp.`}
        />
      )}
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
