import { t } from '@lingui/core/macro';
import { Stack } from '@mantine/core';
import { Field, Row, SectionFields } from '../fields/Field';
import { ChoiceField } from '../fields/inputs';
import { ListSection } from '../fields/List';
import { Note, ProblemLine } from '../fields/Section';
import type { Draft } from '../model/draft/draft';
import {
  type ActionKind,
  blankPerturbation,
  type DraftPerturbation,
  describedActions,
  describedWhens,
  type WhenKind,
  whensOf,
  withAction,
  withWhen,
} from '../model/draft/perturbationDraft';
import { keysOf, uniqueKey } from '../model/draft/values';
import { withChange } from '../model/paths';
import items from './items.module.css';

export function PerturbationsSection() {
  return (
    <ListSection<DraftPerturbation>
      id="perturbations"
      path="perturbations"
      label={t`Perturbations`}
      adds={t`Add perturbation`}
      note={t`Actions during a trial. Times are seconds from the start of the measured window. Every chart marks each action.`}
      none={t`None. Only the streams act on nginx.`}
      nameOf={({ key }) => t`perturbation ${key}`}
      titleOf={({ key }, number) => {
        const name = key || number;
        return t`Perturbation ${name}`;
      }}
      create={(all) => blankPerturbation(uniqueKey('reload', keysOf(all)))}
      copy={(one, all) => ({ ...one, key: uniqueKey(one.key, keysOf(all)) })}
      ordered
      row={items.itemHead}
      below={({ when, action }, { path }) => (
        <Stack gap={10}>
          <ProblemLine path={`${path}.when`} label={t({ message: 'Schedule', context: 'perturbation' })}>
            <SectionFields of={describedWhens()[when.kind].section} at={`${path}.when`} />
          </ProblemLine>
          <ActionFields path={`${path}.action`} kind={action.kind} />
        </Stack>
      )}
    >
      {(one, { path, index }) => (
        <Row>
          <Field of="Perturbation.key" at={path} />
          <Choices path={path} one={one} index={index} />
        </Row>
      )}
    </ListSection>
  );
}

function surroundings({ perturbations, nginx }: Draft, index: number) {
  return {
    taken: keysOf(perturbations.filter((_, place) => place !== index)),
    groups: keysOf(nginx.upstreams?.groups ?? []),
  };
}

/** What is done, by which slot, and in which way it is scheduled. */
function Choices({ path, one, index }: { path: string; one: DraftPerturbation; index: number }) {
  const actions = Object.entries(describedActions()).map(([value, { label }]) => ({ value, label }));
  const whens = whensOf(one).map((value) => ({ value, label: describedWhens()[value].label }));
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
      <Field of="Perturbation.slot" at={path} />
      <ChoiceField
        path={`${path}.when.kind`}
        label={t`When`}
        options={whens}
        change={(draft, kind) => changed(draft, (now) => withWhen(now, kind as WhenKind))}
      />
    </>
  );
}

/** What an action of this kind needs to know. */
function ActionFields({ path, kind }: { path: string; kind: ActionKind }) {
  const { section, help } = describedActions()[kind];
  return (
    <ProblemLine path={path} label={t`Action`}>
      {section && <SectionFields of={section} at={path} />}
      <Note mt={6}>{help}</Note>
    </ProblemLine>
  );
}
