import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { AddButton } from '../../fields/AddButton';
import { NumberField } from '../../fields/NumberField';
import { RowActions } from '../../fields/RowActions';
import { ProblemLine } from '../../fields/Section';
import { type DraftStep, nextStep } from '../../model/draft/streamDraft';
import { type Place, useItems } from '../../useItems';
import items from '../items.module.css';

function following(steps: readonly DraftStep[]): DraftStep {
  const last = steps.at(-1);
  return nextStep(last?.to_per_s ?? last?.per_s ?? 1000);
}

function StepRow({ list, ...place }: Place & { list: string }) {
  const path = `${list}.${place.index}`;
  const number = place.index + 1;
  return (
    <div className={items.stepRow}>
      <NumberField path={`${path}.per_s`} label={t`Rate`} unit={t`per s`} templated />
      <NumberField
        path={`${path}.to_per_s`}
        label={t`Ramp to`}
        unit={t`per s`}
        placeholder={t`no ramp`}
        optional
        templated
      />
      <NumberField path={`${path}.duration_s`} label={t`Duration`} unit="s" templated />
      <RowActions what={t`step ${number}`} path={list} least={1} {...place} />
    </div>
  );
}

/** Rates one after the other, each constant or a ramp to the next. */
export function StepsEditor({ path }: { path: string }) {
  const { places, add } = useItems<DraftStep>(path, following, 'per_s');
  return (
    <ProblemLine path={path} label={t`Steps`}>
      {places.map((place) => (
        <StepRow key={place.index} list={path} {...place} />
      ))}
      <AddButton onClick={add}>{t`Add step`}</AddButton>
      <Text size="xs" c="var(--text-dim)" mt={2}>
        {t`After the last step, its final rate continues.`}
      </Text>
    </ProblemLine>
  );
}
