import { NativeSelect, SegmentedControl, Text } from '@mantine/core';
import type { ArmPreview } from '@/api/generated';
import { useSearchState } from '@/lib/useSearchState';
import classes from './ArmConfigs.module.css';
import { ConfigView } from './ConfigView';

/** Labels of more characters do not fit beside each other. */
const MAX_BESIDE = 56;

interface Props {
  arms: readonly ArmPreview[];
  baseline: string;
}

interface ChoiceProps extends Props {
  chosen: string;
  onChoose: (key: string) => void;
}

/** Arms beside each other where there is room for their labels, else as a list. */
function ArmChoice({ arms, baseline, chosen, onChoose }: ChoiceProps) {
  const options = arms.map(({ key, label }) => ({
    value: key,
    label: key === baseline ? `${label} (baseline)` : label,
  }));
  const characters = options.reduce((sum, { label }) => sum + label.length, 0);
  return characters > MAX_BESIDE ? (
    <NativeSelect
      mb={8}
      size="xs"
      aria-label="Arm"
      value={chosen}
      onChange={(event) => onChoose(event.currentTarget.value)}
      data={options}
    />
  ) : (
    <div className={classes.scroll}>
      <SegmentedControl size="xs" aria-label="Arm" value={chosen} onChange={onChoose} data={options} />
    </div>
  );
}

/** What is shown of `arm`, in words. */
function noteOn(arm: ArmPreview, base: ArmPreview | undefined): string {
  if (arm.key === base?.key) return 'The complete configuration.';
  return base?.config === arm.config ? 'Identical to the baseline.' : `Differences from ${base?.label}.`;
}

/** The exact nginx.conf of each arm: the baseline whole, the others as what differs from it. */
export function ArmConfigs({ arms, baseline }: Props) {
  const firstOther = arms.find((arm) => arm.key !== baseline)?.key ?? baseline;
  const [chosen, choose] = useSearchState('config', firstOther);
  const arm = arms.find((candidate) => candidate.key === chosen) ?? arms[0];
  const base = arms.find((candidate) => candidate.key === baseline);
  if (!arm) return null;
  return (
    <>
      <ArmChoice arms={arms} baseline={baseline} chosen={arm.key} onChoose={choose} />
      <ConfigView
        key={arm.key}
        text={arm.config}
        against={arm.key === baseline ? undefined : base?.config}
        label={`nginx.conf of ${arm.label}`}
      />
      <Text size="xs" c="var(--text-dim)" mt={6}>
        {noteOn(arm, base)} <code>@@name@@</code> marks a value that the host fills in: a port or a folder.
      </Text>
    </>
  );
}
