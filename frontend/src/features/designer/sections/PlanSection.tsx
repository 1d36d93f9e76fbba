import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { SegmentedControl, SimpleGrid, Stack, useMatches } from '@mantine/core';
import { useContext } from 'react';
import type { Selection } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { slotNames } from '@/domain/slots';
import { formatDuration } from '@/lib/format';
import { said } from '@/lib/language/serverText';
import { SoundContext, useDraft, useStore } from '../designerContext';
import { Fields, Row } from '../fields/Field';
import fields from '../fields/fields.module.css';
import { SwitchField, TextField } from '../fields/inputs';
import { Note, ProblemLine, Section } from '../fields/Section';
import type { Draft, DraftStop } from '../model/draft/draft';
import { filled } from '../model/draft/values';
import { withValue } from '../model/paths';
import { PlanSlider } from './PlanSlider';

const FIXED: DraftStop = { kind: 'fixed' };
const PRECISE: DraftStop = {
  kind: 'precision',
  metric: 'requests_per_s',
  half_width_percent: 2,
  max_blocks: 20,
};

const DECIDED: DraftStop = { kind: 'decided', max_blocks: 20, hopeless_percent: 10 };
const RULES = { fixed: FIXED, decided: DECIDED, precision: PRECISE };

const choices = () => [
  { value: 'fixed' as const, label: t`After these blocks` },
  { value: 'decided' as const, label: t`When decided or hopeless` },
  { value: 'precision' as const, label: t`When precise enough` },
];

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
          <PlanSlider />
          <Outlook />
          <StopRule />
          <SelectionFields />
          <ProfileEditor />
          <PlacementEditor />
        </Stack>
      </ProblemLine>
    </Section>
  );
}

/** What a search for the capacity, a curve or the choice among many arms takes and finds. */
function Outlook() {
  const sound = useContext(SoundContext);
  if (!sound?.plan.outlook?.length) return null;
  return (
    <Note>
      {sound.plan.outlook.map((text) => (
        <div key={said(text)}>
          <ServerText text={text} />
        </div>
      ))}
    </Note>
  );
}

function StopRule() {
  const store = useStore();
  const kind = useDraft((draft) => draft.plan.stop.kind);
  const orientation = useMatches({ base: 'vertical', sm: 'horizontal' } as const);
  return (
    <ProblemLine path="plan.stop" label={t`Stop rule`} title={t({ message: 'Stop', context: 'plan' })}>
      <SegmentedControl
        size="xs"
        orientation={orientation}
        aria-label={t({ message: 'Stop', context: 'plan' })}
        data={choices()}
        value={kind}
        onChange={(next) => store.change((draft) => withValue(draft, 'plan.stop', RULES[next]))}
      />
      {kind === 'decided' && (
        <>
          <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm" mt="sm" className={fields.top}>
            <Fields of="UntilDecided" at="plan.stop" />
          </SimpleGrid>
          <Note mt={6}>
            <Trans>
              The run is looked at after each block, from the fifth on. It ends when every primary question is
              decided, or when no open one is likely to be by then. All looks together err in at most 5 % of
              runs: the more there may be, the wider the intervals.
            </Trans>
          </Note>
        </>
      )}
      {kind === 'precision' && (
        <>
          <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm" mt="sm" className={fields.top}>
            <Fields of="UntilPrecise" at="plan.stop" />
          </SimpleGrid>
          <Note mt={6}>
            <Trans>
              Blocks are added until the 95 % interval of every arm is this narrow, at the fifth block or
              later. The interval holds at every look: the more looks there may be, the wider it is.
            </Trans>
          </Note>
        </>
      )}
    </ProblemLine>
  );
}

/** Of many arms, which are measured in all blocks; and what that spares. */
function SelectionFields() {
  const isWanted = useDraft(({ plan }) => plan.selection != null);
  return (
    <ProblemLine path="plan.selection" label={t`Best of many`}>
      <SwitchField
        path="plan.selection"
        label={t`Best of many`}
        description={t`Heats before the blocks drop about half of the arms each, by the first primary metric. The verdict rests on the blocks of those that are left, and on nothing else.`}
        checked={isWanted}
        change={(draft, wanted) =>
          withValue(draft, 'plan.selection', wanted ? filled<Selection>('Selection', {}) : null)
        }
      />
      {isWanted && (
        <>
          <Row>
            <Fields of="Selection" at="plan.selection" />
          </Row>
          <Spared />
        </>
      )}
    </ProblemLine>
  );
}

/** Trials and time against all arms in all blocks. */
function Spared() {
  const sound = useContext(SoundContext);
  if (!sound || sound.plan.heat_trials === 0) return null;
  const { trials, total_s, full_trials, full_s } = sound.plan;
  const [own, full] = [formatDuration(total_s), formatDuration(full_s)];
  return (
    <Note mt={6}>
      {t`${trials} trials in ${own}, instead of ${full_trials} in ${full} for all arms in all blocks.`}
    </Note>
  );
}

const profileChoices = () => [
  { value: 'off', label: t({ message: 'None', context: 'profiles' }) },
  { value: 'on', label: t`After all blocks` },
];

/** Trials that show where nginx spends its CPU time. */
function ProfileEditor() {
  const store = useStore();
  const isOn = useDraft((draft) => draft.profile !== null);
  return (
    <ProblemLine path="profile" label={t`Profiles`} title={t`Profiles`}>
      <SegmentedControl
        size="xs"
        aria-label={t`Profiles`}
        data={profileChoices()}
        value={isOn ? 'on' : 'off'}
        onChange={(next) =>
          store.change((draft) => ({
            ...draft,
            profile: next === 'on' ? { trials: 2, hz: 99, phases: true } : null,
          }))
        }
      />
      {isOn && (
        <>
          <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm" mt="sm" className={fields.top}>
            <Fields of="ProfilePlan" at="profile" />
          </SimpleGrid>
          <Note mt={6}>
            {t`Extra trials in which perf samples nginx: they show in which functions its CPU time goes. No verdict counts them.`}
          </Note>
        </>
      )}
    </ProblemLine>
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

/** A slot without CPUs may use any. */
function withCpus(draft: Draft, slot: string, cpus: string): Draft {
  const { [slot]: _, ...others } = draft.placement as Record<string, string>;
  return { ...draft, placement: cpus === '' ? others : { ...others, [slot]: cpus } };
}

/** The CPUs of each slot. */
function PinnedFields({ pinned }: { pinned: Record<string, string> }) {
  const streams = useDraft((draft) => draft.streams);
  const upstream_servers = useDraft((draft) => draft.upstream_servers);
  const slots = [...new Set([...slotNames({ streams, upstream_servers }), ...Object.keys(pinned)])];
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm" mt="xs" className={fields.top}>
      {slots.map((slot) => (
        <TextField
          key={slot}
          path={`placement.${slot}`}
          label={slot}
          name={t`CPUs of ${slot}`}
          placeholder={t`any CPU`}
          code
          change={(draft, cpus) => withCpus(draft, slot, cpus)}
        />
      ))}
    </SimpleGrid>
  );
}

/** Which CPUs the roles may use. */
function PlacementEditor() {
  const store = useStore();
  const placement = useDraft((draft) => draft.placement);
  const mode = typeof placement === 'string' ? placement : 'pinned';
  return (
    <ProblemLine path="placement" label={t`CPU placement`} title={t`CPU placement`}>
      <SegmentedControl
        size="xs"
        aria-label={t`CPU placement`}
        data={modes()}
        value={mode}
        onChange={(next) =>
          store.change((draft) => ({
            ...draft,
            placement: next === 'pinned' ? {} : (next as 'auto' | 'none'),
          }))
        }
      />
      <Note mt={6}>{notes()[mode]}</Note>
      {typeof placement !== 'string' && <PinnedFields pinned={placement} />}
    </ProblemLine>
  );
}
