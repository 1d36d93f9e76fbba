import { t } from '@lingui/core/macro';
import { SimpleGrid } from '@mantine/core';
import { useDraft } from '../../designerContext';
import { ConfigField } from '../../fields/ConfigField';
import fields from '../../fields/fields.module.css';
import { NumberField } from '../../fields/NumberField';
import { RowActions } from '../../fields/RowActions';
import { ProblemLine } from '../../fields/Section';
import { SwitchField } from '../../fields/SwitchField';
import { TextField } from '../../fields/TextField';
import type { Place } from '../../useItems';
import classes from '../items.module.css';
import { BehaviourFields, BehaviourSelect } from './BehaviourFields';

/** Servers that are alike: how many, where, and what they answer. */
export function UpstreamServerEditor(place: Place) {
  const { index } = place;
  const path = `upstream_servers.${index}`;
  const key = useDraft((draft) => draft.upstream_servers[index]?.key ?? '');
  const name = key || index + 1;
  const kind = useDraft((draft) => draft.upstream_servers[index]?.behaviour?.kind ?? 'own');
  return (
    <fieldset className={classes.factor}>
      <legend className="visually-hidden">{t`Upstream server ${key}`}</legend>
      <div className={classes.itemHead}>
        <SimpleGrid cols={{ base: 2, xs: 5 }} spacing="sm" className={fields.top}>
          <TextField path={`${path}.key`} label={t`Key`} code />
          <TextField path={`${path}.slot`} label={t`Slot`} code />
          <NumberField path={`${path}.instances`} label={t`Instances`} />
          <NumberField path={`${path}.workers`} label={t`Workers`} />
          <BehaviourSelect path={path} kind={kind} />
        </SimpleGrid>
        <RowActions what={t`upstream ${key}`} path="upstream_servers" {...place} />
      </div>
      <ProblemLine path={path} label={t`Upstream server ${name}`} />
      {kind === 'own' && <ConfigField path={`${path}.server`} label="server" minLines={3} />}
      <BehaviourFields path={`${path}.behaviour`} kind={kind} />
      <SwitchField
        path={`${path}.tls`}
        label="TLS"
        description={t`Uses a self-signed certificate generated for the trial; nginx asks it by proxy_pass https://…`}
      />
    </fieldset>
  );
}
