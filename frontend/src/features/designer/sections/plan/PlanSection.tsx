import { NativeSelect, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import { textOfProblems, useDraft, useField, useStore } from '../../designerContext';
import classes from '../../fields/fields.module.css';
import { NumberField } from '../../fields/NumberField';
import { ProblemLine, Section } from '../../fields/Section';
import type { DraftStop } from '../../model/draft/draft';
import { withValue } from '../../model/paths';
import { PlacementEditor } from './PlacementEditor';

const METRICS = [
  { value: 'requests_per_s', label: 'requests/s' },
  { value: 'latency_p50_us', label: 'median latency' },
  { value: 'latency_p99_us', label: 'p99 latency' },
];

const FIXED: DraftStop = { kind: 'fixed' };
const PRECISE: DraftStop = {
  kind: 'precision',
  metric: 'requests_per_s',
  half_width_percent: 2,
  max_blocks: 20,
};

export function PlanSection() {
  return (
    <Section
      id="plan"
      note="Every block runs each arm once, in random order. More blocks make the comparison more precise."
    >
      <ProblemLine path="plan" label="Plan">
        <Stack gap="md">
          <SimpleGrid cols={{ base: 2, xs: 5 }} spacing="sm" className={classes.top}>
            <NumberField path="plan.blocks" label="Blocks" />
            <NumberField path="plan.warmup_s" label="Warm-up" unit="s" />
            <NumberField path="plan.measure_s" label="Measure" unit="s" />
            <NumberField path="plan.cooldown_s" label="Cool-down" unit="s" />
            <NumberField path="plan.interval_ms" label="Sample every" unit="ms" />
          </SimpleGrid>
          <StopRule />
          <PlacementEditor />
        </Stack>
      </ProblemLine>
    </Section>
  );
}

function StopRule() {
  const store = useStore();
  const kind = useDraft((draft) => draft.plan.stop.kind);
  return (
    <ProblemLine path="plan.stop" label="Stop rule">
      <Text size="sm" fw={500} mb={4}>
        Stop
      </Text>
      <SegmentedControl
        size="xs"
        aria-label="Stop"
        data={[
          { value: 'fixed', label: 'After these blocks' },
          { value: 'precision', label: 'When precise enough' },
        ]}
        value={kind}
        onChange={(next) =>
          store.change((draft) => withValue(draft, 'plan.stop', next === 'precision' ? PRECISE : FIXED))
        }
      />
      {kind === 'precision' && (
        <>
          <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm" mt="sm" className={classes.top}>
            <Metric />
            <NumberField path="plan.stop.half_width_percent" label="Within" unit="± %" />
            <NumberField path="plan.stop.max_blocks" label="At most" unit="blocks" />
          </SimpleGrid>
          <Text size="xs" c="var(--text-dim)" mt={6}>
            Blocks are added until the 95 % interval of every arm is this narrow, at the fifth block or later.
            The interval holds at every look: the more looks there may be, the wider it is.
          </Text>
        </>
      )}
    </ProblemLine>
  );
}

function Metric() {
  const store = useStore();
  const metric = useDraft(({ plan }) => (plan.stop.kind === 'precision' ? plan.stop.metric : ''));
  const problems = useField('plan.stop.metric', 'Metric');
  return (
    <NativeSelect
      data-field="plan.stop.metric"
      label="Metric"
      size="sm"
      data={METRICS}
      value={metric}
      error={textOfProblems(problems)}
      onChange={(event) => {
        const { value } = event.currentTarget;
        store.change((draft) => withValue(draft, 'plan.stop.metric', value));
      }}
    />
  );
}
