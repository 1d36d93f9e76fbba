import { SimpleGrid, Stack } from '@mantine/core';
import { slotNames } from '@/domain/slots';
import { useDraft } from '../../designerContext';
import { ChoiceField } from '../../fields/ChoiceField';
import fields from '../../fields/fields.module.css';
import { NumberField } from '../../fields/NumberField';
import { RowActions } from '../../fields/RowActions';
import { ProblemLine } from '../../fields/Section';
import { TextField } from '../../fields/TextField';
import type { Draft } from '../../model/draft/draft';
import {
  ACTION_LABELS,
  type ActionKind,
  type DraftPerturbation,
  WHEN_LABELS,
  type WhenKind,
  whensOf,
  withAction,
  withWhen,
} from '../../model/draft/perturbationDraft';
import { withChange } from '../../model/paths';
import type { Place } from '../../useItems';
import classes from '../items.module.css';
import { ActionFields } from './ActionFields';

interface Props extends Place {
  onDuplicate: () => void;
}

const keysOf = (items: readonly { key: string }[]) => items.map(({ key }) => key);

function surroundings({ perturbations, nginx }: Draft, index: number) {
  return {
    taken: keysOf(perturbations.filter((_, place) => place !== index)),
    groups: keysOf(nginx.upstreams?.groups ?? []),
  };
}

const ACTIONS = Object.entries(ACTION_LABELS).map(([value, label]) => ({ value, label }));

/** What is done, by which slot, and in which way it is scheduled. */
function Choices({ path, one, index }: { path: string; one: DraftPerturbation; index: number }) {
  const slots = useDraft((draft) => slotNames(draft).join(' ')).split(' ');
  const whens = whensOf(one).map((value) => ({ value, label: WHEN_LABELS[value] }));
  const changed = (draft: Draft, how: (now: DraftPerturbation) => DraftPerturbation) =>
    withChange<Draft, DraftPerturbation>(draft, path, how);
  return (
    <>
      <ChoiceField
        path={`${path}.action.kind`}
        label="Action"
        options={ACTIONS}
        change={(draft, kind) =>
          changed(draft, (now) => withAction(now, kind as ActionKind, surroundings(draft, index)))
        }
      />
      <ChoiceField path={`${path}.slot`} label="By slot" options={slots} />
      <ChoiceField
        path={`${path}.when.kind`}
        label="When"
        options={whens}
        change={(draft, kind) => changed(draft, (now) => withWhen(now, kind as WhenKind))}
      />
    </>
  );
}

/** What is done, by which host, and when. */
export function PerturbationEditor(place: Props) {
  const { index } = place;
  const path = `perturbations.${index}`;
  const one = useDraft((draft) => draft.perturbations[index]);
  if (!one) return null;
  return (
    <fieldset className={classes.factor}>
      <legend className="visually-hidden">Perturbation {one.key}</legend>
      <div className={classes.itemHead}>
        <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={fields.top}>
          <TextField path={`${path}.key`} label="Key" code />
          <Choices path={path} one={one} index={index} />
        </SimpleGrid>
        <RowActions what={`perturbation ${one.key}`} path="perturbations" {...place} />
      </div>
      <ProblemLine path={path} label={`Perturbation ${one.key || index + 1}`}>
        <Stack gap={10}>
          <WhenFields path={`${path}.when`} kind={one.when.kind} />
          <ActionFields path={`${path}.action`} kind={one.action.kind} />
        </Stack>
      </ProblemLine>
    </fieldset>
  );
}

function WhenFields({ path, kind }: { path: string; kind: WhenKind }) {
  return (
    <ProblemLine path={path} label="Schedule">
      <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={fields.top}>
        {kind === 'once' && <NumberField path={`${path}.at_s`} label="At" unit="s" templated />}
        {kind === 'every' && <NumberField path={`${path}.every_s`} label="Every" unit="s" templated />}
        {kind !== 'once' && (
          <>
            <NumberField path={`${path}.from_s`} label="From" unit="s" templated />
            <NumberField
              path={`${path}.until_s`}
              label="Until"
              unit="s"
              placeholder="the end"
              optional
              templated
            />
          </>
        )}
      </SimpleGrid>
    </ProblemLine>
  );
}
