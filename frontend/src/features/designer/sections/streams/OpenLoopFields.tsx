import { Button, SegmentedControl, SimpleGrid, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useStore, useValue } from '../../designerContext';
import { focusSoon } from '../../fieldRegistry';
import { ChoiceField } from '../../fields/ChoiceField';
import fields from '../../fields/fields.module.css';
import { NumberField } from '../../fields/NumberField';
import { RowActions } from '../../fields/RowActions';
import { ProblemLine } from '../../fields/Section';
import { SwitchField } from '../../fields/SwitchField';
import { type DraftOpenLoop, type DraftStep, nextStep, withSteps } from '../../model/draft/streamDraft';
import { moved, withChange, withValue } from '../../model/paths';
import items from '../items.module.css';
import classes from './engine.module.css';
import { RateSketch } from './RateSketch';

const ARRIVALS = [
  { value: 'constant', label: 'Evenly spaced' },
  { value: 'poisson', label: 'Poisson' },
];

/** When requests are due: one rate, or steps and ramps one after the other. */
export function OpenLoopFields({ path }: { path: string }) {
  const store = useStore();
  const own = `${path}.open_loop`;
  const stepped = useValue<DraftStep[]>(`${own}.steps`).length > 0;
  const choose = (wanted: boolean) =>
    store.change((draft) =>
      withChange<typeof draft, DraftOpenLoop>(draft, own, (part) => withSteps(part, wanted)),
    );
  return (
    <ProblemLine path={own} label="Open loop">
      <div className={classes.engineFields}>
        <SegmentedControl
          size="xs"
          aria-label="Rate"
          value={stepped ? 'steps' : 'constant'}
          onChange={(next) => choose(next === 'steps')}
          data={[
            { value: 'constant', label: 'One rate' },
            { value: 'steps', label: 'Steps and ramps' },
          ]}
        />
        {stepped && <Steps path={`${own}.steps`} />}
        <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm" className={fields.top}>
          {!stepped && <NumberField path={`${own}.rate_per_s`} label="Rate" unit="per s" templated />}
          <ChoiceField path={`${own}.arrivals`} label="Arrivals" options={ARRIVALS} />
          <NumberField path={`${path}.threads`} label="Processes" templated />
          <NumberField path={`${own}.seed`} label="Seed" />
        </SimpleGrid>
        <RateSketch path={path} />
        <div className={fields.inline}>
          <SwitchField path={`${path}.keep_alive`} label="Keep connections alive" />
          <SwitchField
            path={`${path}.probe`}
            label="Latency probe"
            description="A bystander: it feels what the others do, and the trial's totals are without it."
          />
        </div>
      </div>
    </ProblemLine>
  );
}

function Steps({ path }: { path: string }) {
  const store = useStore();
  const steps = useValue<DraftStep[]>(path);
  const put = (next: DraftStep[]) => store.change((draft) => withValue(draft, path, next));
  function add() {
    const last = steps.at(-1);
    put([...steps, nextStep(last?.to_per_s ?? last?.per_s ?? 1000)]);
    focusSoon(`${path}.${steps.length}.per_s`);
  }
  return (
    <ProblemLine path={path} label="Steps">
      {steps.map((_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps are known by their place
        <div key={index} className={items.stepRow}>
          <NumberField path={`${path}.${index}.per_s`} label="Rate" unit="per s" templated />
          <NumberField
            path={`${path}.${index}.to_per_s`}
            label="Ramp to"
            unit="per s"
            placeholder="no ramp"
            optional
            templated
          />
          <NumberField path={`${path}.${index}.duration_s`} label="Lasts" unit="s" templated />
          <RowActions
            what={`step ${index + 1}`}
            path={path}
            index={index}
            count={steps.length}
            least={1}
            onMove={(by) => put(moved(steps, index, by))}
            onRemove={() => put(steps.filter((_, place) => place !== index))}
          />
        </div>
      ))}
      <Button
        variant="subtle"
        color="gray"
        size="compact-xs"
        leftSection={<IconPlus size={12} />}
        onClick={add}
      >
        Add step
      </Button>
      <Text size="xs" c="var(--text-dim)" mt={2}>
        After the last step its last rate goes on.
      </Text>
    </ProblemLine>
  );
}
