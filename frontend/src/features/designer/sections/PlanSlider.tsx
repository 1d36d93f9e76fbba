import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useContext } from 'react';
import { useDefaultHost } from '@/components/hosts/useHostChoice';
import { ServerText } from '@/components/ui/language/ServerText';
import { formatDuration } from '@/lib/format';
import { said } from '@/lib/language/serverText';
import { usePowerOfDraft } from '../api';
import { type Sound, SoundContext, useDraft, useStore } from '../designerContext';
import { Note } from '../fields/Section';
import { withValue } from '../model/paths';
import classes from './PlanSlider.module.css';

/** Each about half as much again as the one before: that much more shows in what can be found. */
const STEPS = [1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100];

/** Where the draft has its number of blocks: the planned ones, or the most that a stop rule allows. */
const pathOf = (isFixed: boolean) => (isFixed ? 'plan.blocks' : 'plan.stop.max_blocks');

const nearest = (blocks: number) =>
  STEPS.reduce(
    (best, step, at) => (Math.abs(step - blocks) < Math.abs((STEPS[best] ?? 0) - blocks) ? at : best),
    0,
  );

/** Precision against minutes: more blocks take longer and show smaller differences. */
export function PlanSlider() {
  const store = useStore();
  const sound = useContext(SoundContext);
  const isFixed = useDraft(({ plan }) => plan.stop.kind === 'fixed');
  const blocks = useDraft(({ plan }) =>
    Number(plan.stop.kind === 'fixed' ? plan.blocks : plan.stop.max_blocks),
  );
  if (!sound || !Number.isInteger(blocks) || blocks < 1) return null;
  const { block_arms: arms, heat_trials, trial_s } = sound.plan;
  const time = formatDuration((heat_trials + blocks * arms) * trial_s);
  const cost = isFixed
    ? t`${blocks} blocks of ${arms} arms take ${time}`
    : t`at most ${blocks} blocks of ${arms} arms, which take ${time}`;
  return (
    <section aria-label={t`Precision against minutes`}>
      <Text size="sm" fw={500}>
        {t`Precision against minutes`}: {cost}
      </Text>
      <input
        type="range"
        className={classes.slider}
        aria-label={t`Precision against minutes`}
        aria-valuetext={cost}
        min={isFixed ? 0 : 1}
        max={STEPS.length - 1}
        step={1}
        value={nearest(blocks)}
        onChange={({ currentTarget }) => {
          const next = STEPS[Number(currentTarget.value)];
          if (next) store.change((draft) => withValue(draft, pathOf(isFixed), next), 'plan.slider');
        }}
      />
      <div className={classes.ends} aria-hidden>
        <span>{t`sooner`}</span>
        <span>{t`finer differences`}</span>
      </div>
      <WhatIsFound sound={sound} />
    </section>
  );
}

const DEBOUNCE_MS = 400;

/** What the plan would find on the host that is suggested, in words, or why nobody knows. */
function WhatIsFound({ sound }: { sound: Sound }) {
  const [settled] = useDebouncedValue(sound, DEBOUNCE_MS);
  const [host] = useDefaultHost();
  const power = usePowerOfDraft(settled, host);
  if (!host || power.isError || !power.data) return null;
  const { text, unknown, metrics, expected = [] } = power.data;
  return (
    <div
      className={classes.found}
      data-stale={power.isPlaceholderData || settled !== sound || undefined}
      aria-live="polite"
    >
      {unknown === null ? (
        metrics.map((metric) => (
          <div key={metric.metric}>
            <ServerText text={metric.text} />
          </div>
        ))
      ) : (
        <>
          <ServerText text={text} />
          <Note>{t`Four times as many blocks show differences half as large.`}</Note>
        </>
      )}
      {expected.map((one) => (
        <div key={said(one)}>
          <ServerText text={one} />
        </div>
      ))}
    </div>
  );
}
