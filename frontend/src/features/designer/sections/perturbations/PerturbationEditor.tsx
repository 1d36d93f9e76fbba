import { t } from '@lingui/core/macro';
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
  type ActionKind,
  actionLabels,
  type DraftPerturbation,
  type WhenKind,
  whenLabels,
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

/** What is done, by which slot, and in which way it is scheduled. */
function Choices({ path, one, index }: { path: string; one: DraftPerturbation; index: number }) {
  const slots = useDraft((draft) => slotNames(draft).join(' ')).split(' ');
  const actions = Object.entries(actionLabels()).map(([value, label]) => ({ value, label }));
  const whens = whensOf(one).map((value) => ({ value, label: whenLabels()[value] }));
  const changed = (draft: Draft, how: (now: DraftPerturbation) => DraftPerturbation) =>
    withChange<Draft, DraftPerturbation>(draft, path, how);
  return (
    <>
      <ChoiceField
        path={`${path}.action.kind`}
        label={t`Action`}
        options={actions}
        change={(draft, kind) =>
          changed(draft, (now) => withAction(now, kind as ActionKind, surroundings(draft, index)))
        }
      />
      <ChoiceField
        path={`${path}.slot`}
        label={t({ message: 'By slot', context: 'perturbation' })}
        options={slots}
      />
      <ChoiceField
        path={`${path}.when.kind`}
        label={t`When`}
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
  const { key } = one;
  const name = key || index + 1;
  return (
    <fieldset className={classes.factor}>
      <legend className="visually-hidden">{t`Perturbation ${key}`}</legend>
      <div className={classes.itemHead}>
        <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={fields.top}>
          <TextField path={`${path}.key`} label={t`Key`} code />
          <Choices path={path} one={one} index={index} />
        </SimpleGrid>
        <RowActions what={t`perturbation ${key}`} path="perturbations" {...place} />
      </div>
      <ProblemLine path={path} label={t`Perturbation ${name}`}>
        <Stack gap={10}>
          <WhenFields path={`${path}.when`} kind={one.when.kind} />
          <ActionFields path={`${path}.action`} kind={one.action.kind} />
        </Stack>
      </ProblemLine>
    </fieldset>
  );
}

/** What the fields of a schedule are called. */
const timeLabels = () => ({
  at: t({ message: 'At', context: 'perturbation' }),
  every: t({ message: 'Every', context: 'perturbation' }),
  from: t({ message: 'From', context: 'perturbation' }),
  until: t({ message: 'Until', context: 'perturbation' }),
});

function WhenFields({ path, kind }: { path: string; kind: WhenKind }) {
  const labels = timeLabels();
  return (
    <ProblemLine path={path} label={t({ message: 'Schedule', context: 'perturbation' })}>
      <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={fields.top}>
        {kind === 'once' && <NumberField path={`${path}.at_s`} label={labels.at} unit="s" templated />}
        {kind === 'every' && <NumberField path={`${path}.every_s`} label={labels.every} unit="s" templated />}
        {kind !== 'once' && (
          <>
            <NumberField path={`${path}.from_s`} label={labels.from} unit="s" templated />
            <NumberField
              path={`${path}.until_s`}
              label={labels.until}
              unit="s"
              placeholder={t`the end`}
              optional
              templated
            />
          </>
        )}
      </SimpleGrid>
    </ProblemLine>
  );
}
