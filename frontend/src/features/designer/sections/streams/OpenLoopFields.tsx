import { t } from '@lingui/core/macro';
import { SegmentedControl, SimpleGrid } from '@mantine/core';
import { useStore, useValue } from '../../designerContext';
import { ChoiceField } from '../../fields/ChoiceField';
import fields from '../../fields/fields.module.css';
import { NumberField } from '../../fields/NumberField';
import { ProblemLine } from '../../fields/Section';
import { SwitchField } from '../../fields/SwitchField';
import { type DraftOpenLoop, type DraftStep, withSteps } from '../../model/draft/streamDraft';
import { withChange } from '../../model/paths';
import classes from './engine.module.css';
import { RateSketch } from './RateSketch';
import { StepsEditor } from './StepsEditor';

const arrivals = () => [
  { value: 'constant', label: t`Evenly spaced` },
  { value: 'poisson', label: t`Poisson` },
];
const rates = () => [
  { value: 'constant', label: t`One rate` },
  { value: 'steps', label: t`Steps and ramps` },
];

/** When requests are due: one rate, or steps and ramps one after the other. */
export function OpenLoopFields({ path }: { path: string }) {
  const store = useStore();
  const own = `${path}.open_loop`;
  const stepped = useValue<DraftStep[]>(`${own}.steps`).length > 0;
  const choose = (wanted: boolean) =>
    store.change((draft) =>
      withChange<typeof draft, DraftOpenLoop>(draft, own, (openLoop) => withSteps(openLoop, wanted)),
    );
  return (
    <ProblemLine path={own} label={t`Open loop`}>
      <div className={classes.engineFields}>
        <SegmentedControl
          size="xs"
          aria-label={t`Rate`}
          value={stepped ? 'steps' : 'constant'}
          onChange={(next) => choose(next === 'steps')}
          data={rates()}
        />
        {stepped && <StepsEditor path={`${own}.steps`} />}
        <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={fields.top}>
          {!stepped && <NumberField path={`${own}.rate_per_s`} label={t`Rate`} unit={t`per s`} templated />}
          <ChoiceField path={`${own}.arrivals`} label={t`Arrivals`} options={arrivals()} />
          <NumberField path={`${path}.threads`} label={t`Processes`} templated />
          <NumberField path={`${own}.seed`} label={t`Seed`} />
        </SimpleGrid>
        <RateSketch path={path} rates={own} />
        <div className={fields.inline}>
          <SwitchField path={`${path}.keep_alive`} label={t`Keep connections alive`} />
          <SwitchField
            path={`${path}.probe`}
            label={t`Latency probe`}
            description={t`Measures latency while the other streams load nginx. The trial's totals exclude it.`}
          />
        </div>
      </div>
    </ProblemLine>
  );
}
