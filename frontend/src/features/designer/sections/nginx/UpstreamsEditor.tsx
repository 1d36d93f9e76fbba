import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Tag } from '@/components/ui/Tag';
import { useDraft } from '../../designerContext';
import { Fields, SectionFields } from '../../fields/Field';
import { ChoiceField, SwitchField, TextField } from '../../fields/inputs';
import { List } from '../../fields/List';
import { Note } from '../../fields/Section';
import { blankGroup, blankUpstreams, type DraftGroup } from '../../model/draft/serverDraft';
import { keysOf, uniqueKey } from '../../model/draft/values';
import { withValue } from '../../model/paths';
import items from '../items.module.css';
import classes from './UpstreamGroups.module.css';

const PATH = 'nginx.upstreams';
const UPSTREAM = 'proxy_pass {{ upstream("KEY") }};';

/** Upstream groups whose nodes change while nginx runs; a perturbation changes them. */
export function UpstreamsEditor() {
  const through = useDraft((draft) => draft.nginx.upstreams?.through);
  return (
    <div>
      <SwitchField
        path={PATH}
        label={t`Dynamic upstreams`}
        description={t`Groups whose nodes change while nginx runs: ${UPSTREAM}`}
        checked={through !== undefined}
        change={(draft, wanted) =>
          withValue(draft, PATH, wanted ? blankUpstreams(draft.upstream_servers[0]?.key ?? '') : null)
        }
      />
      {through && (
        <div className={items.framed}>
          <SectionFields of="DynamicUpstreams" at={PATH} />
          {through === 'lua' && (
            <Note>
              <Trans>
                <Tag>simulated</Tag> Lua does not block. The lock simulates what Tengine's workers do, and
                every page marks it as simulated. 0 turns it off.
              </Trans>
            </Note>
          )}
          <UpstreamGroups checked={through === 'tengine'} />
        </div>
      )}
    </div>
  );
}

/** Groups of nodes, taken in turn from an upstream server's instances. `checked`: each may have a health check of its own. */
function UpstreamGroups({ checked }: { checked: boolean }) {
  return (
    <List<DraftGroup>
      path={`${PATH}.groups`}
      label={t`Upstream groups`}
      nameOf={({ key }) => t`group ${key}`}
      create={(all, draft) => blankGroup(uniqueKey('app', keysOf(all)), draft.upstream_servers[0]?.key ?? '')}
      least={1}
      row={items.stepRow}
      adds={t`Add group`}
      below={(group, { path }) => checked && <OwnHealthCheck path={`${path}.health_check`} group={group} />}
    >
      {(_, { path }) => <Fields of="UpstreamGroup" at={path} />}
    </List>
  );
}

/**
 * The health check of all groups, or its own, or none: an empty text. The choice has a path of its own, since problems of
 * a check belong to its text.
 */
function OwnHealthCheck({ path, group: { key, health_check } }: { path: string; group: DraftGroup }) {
  return (
    <div className={classes.checkRow}>
      <ChoiceField
        path={`${path}.choice`}
        label={t`Health check of ${key}`}
        hideLabel
        size="xs"
        chosen={health_check === null ? 'all' : 'own'}
        options={[
          { value: 'all', label: t`Same health check as all` },
          { value: 'own', label: t`Own health check` },
        ]}
        change={(draft, next) => withValue(draft, path, next === 'own' ? '' : null)}
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
