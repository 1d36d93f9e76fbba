import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ChosenWindow, Report } from '@/api/generated';
import { askFirst } from '@/components/access/askFirst';
import { armLabel } from '@/domain/trials';
import { useChooseWindow } from '../api';
import { type Bounds, formatWindow, isSame, problemOf } from './window';

interface EndsProps {
  bounds: Bounds;
  window: ChosenWindow;
  onChange: (window: ChosenWindow) => void;
}

const ALL = '';
const LEAST_REASON = 3;

function targetsOf({ trials, arms }: Report) {
  const single = trials
    .filter(({ trial }) => trial.state === 'completed')
    .map(({ trial }) => {
      const [number, arm] = [trial.position + 1, armLabel(arms, trial.arm)];
      const { id: value, block } = trial;
      return { value, label: t`Trial ${number}: ${arm}, block ${block}` };
    });
  return [{ value: ALL, label: t`All trials` }, ...single];
}

function holding({ windows }: Report, trialId: string): ChosenWindow {
  const own = windows.trials.find(({ trial_id }) => trial_id === trialId)?.window;
  return own ?? windows.run ?? windows.planned;
}

function Ends({ bounds, window, onChange }: EndsProps) {
  const common = { w: 100, step: 0.5, decimalScale: 1, min: bounds.earliest, max: bounds.latest };
  return (
    <>
      <NumberInput
        {...common}
        label={t`From (s)`}
        value={window.start_s}
        onChange={(value) => onChange({ ...window, start_s: value as number })}
      />
      <NumberInput
        {...common}
        label={t`To (s)`}
        value={window.end_s}
        onChange={(value) => onChange({ ...window, end_s: value as number })}
      />
    </>
  );
}

function askFor(window: ChosenWindow, onConfirm: () => void) {
  const chosen = formatWindow(window);
  askFirst({
    title: t`Compute everything for this window?`,
    text: (
      <Trans>
        All results follow {chosen}. The report says that the window was chosen after the run, and by whom.
        You can return to the planned window at any time; the change stays in the list.
      </Trans>
    ),
    confirm: t`Use this window`,
    isHarmless: true,
    onConfirm,
  });
}

/** The two ends of the window as fields, for whom it holds, and why. */
export function WindowForm({ report, bounds, window, onChange }: EndsProps & { report: Report }) {
  const choose = useChooseWindow(report.run.id);
  const [trialId, setTrialId] = useState(ALL);
  const [reason, setReason] = useState('');
  const problem = problemOf(window.start_s, window.end_s, bounds);
  const lacksReason = trialId !== ALL && reason.trim().length < LEAST_REASON;
  const isReady = problem === null && !lacksReason && !isSame(window, holding(report, trialId));
  const request = { trialId: trialId || null, window, reason: reason.trim() };
  const apply = () => askFor(window, () => choose.mutate(request, { onSuccess: () => setReason('') }));
  return (
    <Stack gap={6} className="no-print">
      <Group align="flex-end" gap="sm">
        <Ends bounds={bounds} window={window} onChange={onChange} />
        <Select
          label={t({ message: 'For', context: 'trials' })}
          w={260}
          maw="100%"
          data={targetsOf(report)}
          value={trialId}
          allowDeselect={false}
          onChange={(value) => setTrialId(value ?? ALL)}
        />
        <TextInput
          label={trialId === ALL ? t`Reason (shown in the report)` : t`Reason (needed for a single trial)`}
          flex={1}
          miw={200}
          maxLength={300}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <Button disabled={!isReady} loading={choose.isPending} onClick={apply}>
          {t`Use this window`}
        </Button>
      </Group>
      {problem && (
        <Text size="xs" c="red" role="alert">
          {problem}
        </Text>
      )}
    </Stack>
  );
}
