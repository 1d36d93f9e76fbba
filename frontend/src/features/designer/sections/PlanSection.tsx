import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { SegmentedControl, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { slotNames } from '@/domain/slots';
import { textOfProblems, useDraft, useField, useStore } from '../designerContext';
import { Fields, Row } from '../fields/Field';
import fields from '../fields/fields.module.css';
import { Note, ProblemLine, Section } from '../fields/Section';
import type { DraftStop, Placement } from '../model/draft/draft';
import { withValue } from '../model/paths';

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
          <Row most={5}>
            <Fields of="Plan" at="plan" />
          </Row>
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
    <ProblemLine path="plan.stop" label={t`Stop rule`} title={t({ message: 'Stop', context: 'plan' })}>
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
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm" mt="sm" className={fields.top}>
        <Fields of="UntilPrecise" at="plan.stop" />
      </SimpleGrid>
      <Note mt={6}>
        <Trans>
          Blocks are added until the 95 % interval of every arm is this narrow, at the fifth block or later.
          The interval holds at every look: the more looks there may be, the wider it is.
        </Trans>
      </Note>
    </>
  );
}

const notes = () => ({
  auto: t`If roles share a host with four or more CPUs, nginx gets the first half of them and the other roles the second half.`,
  none: t`The kernel chooses the CPUs.`,
  pinned: t`Each slot runs on the CPUs given here, such as 0-3 or 0,2. An empty field means any CPU.`,
});

const modes = () => [
  { value: 'auto', label: t({ message: 'Automatic', context: 'CPU placement' }) },
  { value: 'none', label: t({ message: 'None', context: 'CPU placement' }) },
  { value: 'pinned', label: t({ message: 'By slot', context: 'CPU placement' }) },
];

/** Puts another placement into the draft; what is typed in one `group` is undone at once. */
function usePut() {
  const store = useStore();
  return (next: Placement, group?: string) => store.change((draft) => ({ ...draft, placement: next }), group);
}

/** The CPUs of each slot. */
function PinnedFields({ pinned }: { pinned: Record<string, string> }) {
  const put = usePut();
  const streams = useDraft((draft) => draft.streams);
  const upstream_servers = useDraft((draft) => draft.upstream_servers);
  const slots = [...new Set([...slotNames({ streams, upstream_servers }), ...Object.keys(pinned)])];
  function pin(slot: string, cpus: string) {
    const { [slot]: _, ...others } = pinned;
    put(cpus === '' ? others : { ...others, [slot]: cpus }, `placement.${slot}`);
  }
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm" mt="xs" className={fields.top}>
      {slots.map((slot) => (
        <Cpus key={slot} slot={slot} value={pinned[slot] ?? ''} onChange={(cpus) => pin(slot, cpus)} />
      ))}
    </SimpleGrid>
  );
}

/** Which CPUs the roles may use. */
function PlacementEditor() {
  const put = usePut();
  const placement = useDraft((draft) => draft.placement);
  const mode = typeof placement === 'string' ? placement : 'pinned';
  return (
    <ProblemLine path="placement" label={t`CPU placement`} title={t`CPU placement`}>
      <SegmentedControl
        size="xs"
        aria-label={t`CPU placement`}
        data={modes()}
        value={mode}
        onChange={(next) => put(next === 'pinned' ? {} : (next as 'auto' | 'none'))}
      />
      <Note mt={6}>{notes()[mode]}</Note>
      {typeof placement !== 'string' && <PinnedFields pinned={placement} />}
    </ProblemLine>
  );
}

interface CpusProps {
  slot: string;
  value: string;
  onChange: (cpus: string) => void;
}

function Cpus({ slot, value, onChange }: CpusProps) {
  const path = `placement.${slot}`;
  const problems = useField(path, t`CPUs of ${slot}`);
  return (
    <TextInput
      data-field={path}
      label={slot}
      placeholder={t`any CPU`}
      classNames={{ input: fields.code }}
      value={value}
      error={textOfProblems(problems)}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
