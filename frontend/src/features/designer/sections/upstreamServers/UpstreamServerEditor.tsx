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
  const kind = useDraft((draft) => draft.upstream_servers[index]?.behaviour?.kind ?? 'own');
  return (
    <fieldset className={classes.factor}>
      <legend className="visually-hidden">Upstream server {key}</legend>
      <div className={classes.itemHead}>
        <SimpleGrid cols={{ base: 2, xs: 5 }} spacing="sm" className={fields.top}>
          <TextField path={`${path}.key`} label="Key" code />
          <TextField path={`${path}.slot`} label="Slot" code />
          <NumberField path={`${path}.instances`} label="Instances" />
          <NumberField path={`${path}.workers`} label="Workers" />
          <BehaviourSelect path={path} kind={kind} />
        </SimpleGrid>
        <RowActions what={`upstream ${key}`} path="upstream_servers" {...place} />
      </div>
      <ProblemLine path={path} label={`Upstream server ${key || index + 1}`} />
      {kind === 'own' && <ConfigField path={`${path}.server`} label="server" minLines={3} />}
      <BehaviourFields path={`${path}.behaviour`} kind={kind} />
      <SwitchField
        path={`${path}.tls`}
        label="TLS"
        description="Uses a self-signed certificate generated for the trial; nginx asks it by proxy_pass https://…"
      />
    </fieldset>
  );
}
