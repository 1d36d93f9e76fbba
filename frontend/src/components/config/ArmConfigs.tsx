import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { NativeSelect, SegmentedControl } from '@mantine/core';
import type { ArmPreview } from '@/api/generated';
import { Dim } from '@/components/ui/Dim';
import { named } from '@/lib/language/serverText';
import { useSearchState } from '@/lib/useAddress';
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
  const options = arms
    .map((arm) => ({ ...arm, label: named(arm.label) }))
    .map(({ key, label }) => ({
      value: key,
      label: key === baseline ? t`${label} (baseline)` : label,
    }));
  const characters = options.reduce((sum, { label }) => sum + label.length, 0);
  return characters > MAX_BESIDE ? (
    <NativeSelect
      mb={8}
      size="xs"
      aria-label={t`Arm`}
      value={chosen}
      onChange={(event) => onChoose(event.currentTarget.value)}
      data={options}
    />
  ) : (
    <div className={classes.scroll}>
      <SegmentedControl size="xs" aria-label={t`Arm`} value={chosen} onChange={onChoose} data={options} />
    </div>
  );
}

function noteOn(arm: ArmPreview, base: ArmPreview | undefined): string {
  if (!base || arm.key === base.key) return t`The complete configuration.`;
  const label = named(base.label);
  return base.config === arm.config ? t`Identical to the baseline.` : t`Differences from ${label}.`;
}

/** The exact nginx.conf of each arm: the baseline whole, the others as what differs from it. */
export function ArmConfigs({ arms, baseline }: Props) {
  const firstOther = arms.find((arm) => arm.key !== baseline)?.key ?? baseline;
  const [chosen, choose] = useSearchState('config', firstOther);
  const arm = arms.find((candidate) => candidate.key === chosen) ?? arms[0];
  const base = arms.find((candidate) => candidate.key === baseline);
  if (!arm) return null;
  const label = named(arm.label);
  return (
    <>
      <ArmChoice arms={arms} baseline={baseline} chosen={arm.key} onChoose={choose} />
      <ConfigView
        key={arm.key}
        text={arm.config}
        against={arm.key === baseline ? undefined : base?.config}
        label={t`nginx.conf of ${label}`}
      />
      <Dim size="xs" mt={6}>
        {noteOn(arm, base)}{' '}
        <Trans>
          <code>@@name@@</code> marks a value that the host fills in: a port or a folder.
        </Trans>
      </Dim>
    </>
  );
}
