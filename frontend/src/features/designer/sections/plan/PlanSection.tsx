import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { NativeSelect, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import { textOfProblems, useDraft, useField, useStore } from '../../designerContext';
import classes from '../../fields/fields.module.css';
import { NumberField } from '../../fields/NumberField';
import { ProblemLine, Section } from '../../fields/Section';
import type { DraftStop } from '../../model/draft/draft';
import { withValue } from '../../model/paths';
import { PlacementEditor } from './PlacementEditor';

const metrics = () => [
  { value: 'requests_per_s', label: t`requests/s` },
  { value: 'latency_p50_us', label: t`median latency` },
  { value: 'latency_p99_us', label: t`p99 latency` },
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
      note={t`Every block runs each arm once, in random order. More blocks make the comparison more precise.`}
    >
      <ProblemLine path="plan" label={t`Plan`}>
        <Stack gap="md">
          <SimpleGrid cols={{ base: 2, xs: 5 }} spacing="sm" className={classes.top}>
            <NumberField path="plan.blocks" label={t`Blocks`} />
            <NumberField path="plan.warmup_s" label={t`Warm-up`} unit="s" />
            <NumberField path="plan.measure_s" label={t({ message: 'Measure', context: 'phase' })} unit="s" />
            <NumberField path="plan.cooldown_s" label={t`Cool-down`} unit="s" />
            <NumberField path="plan.interval_ms" label={t`Sample every`} unit="ms" />
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
    <ProblemLine path="plan.stop" label={t`Stop rule`}>
      <Text size="sm" fw={500} mb={4}>
        {t({ message: 'Stop', context: 'plan' })}
      </Text>
      <SegmentedControl
        size="xs"
        aria-label={t({ message: 'Stop', context: 'plan' })}
        data={[
          { value: 'fixed', label: t`After these blocks` },
          { value: 'precision', label: t`When precise enough` },
        ]}
        value={kind}
        onChange={(next) =>
          store.change((draft) => withValue(draft, 'plan.stop', next === 'precision' ? PRECISE : FIXED))
        }
      />
      {kind === 'precision' && <Precision />}
    </ProblemLine>
  );
}

function Precision() {
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm" mt="sm" className={classes.top}>
        <Metric />
        <NumberField path="plan.stop.half_width_percent" label={t`Within`} unit="± %" />
        <NumberField path="plan.stop.max_blocks" label={t`At most`} unit={t`blocks`} />
      </SimpleGrid>
      <Text size="xs" c="var(--text-dim)" mt={6}>
        <Trans>
          Blocks are added until the 95 % interval of every arm is this narrow, at the fifth block or later.
          The interval holds at every look: the more looks there may be, the wider it is.
        </Trans>
      </Text>
    </>
  );
}

function Metric() {
  const store = useStore();
  const metric = useDraft(({ plan }) => (plan.stop.kind === 'precision' ? plan.stop.metric : ''));
  const problems = useField('plan.stop.metric', t`Metric`);
  return (
    <NativeSelect
      data-field="plan.stop.metric"
      label={t`Metric`}
      size="sm"
      data={metrics()}
      value={metric}
      error={textOfProblems(problems)}
      onChange={(event) => {
        const { value } = event.currentTarget;
        store.change((draft) => withValue(draft, 'plan.stop.metric', value));
      }}
    />
  );
}
