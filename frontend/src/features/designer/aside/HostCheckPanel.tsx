import { Button, Group, Loader, Text } from '@mantine/core';
import { IconServerBolt } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import type { ConfigTestOut } from '@/api/generated';
import { useHasRole } from '@/api/useMe';
import { HostSelect } from '@/components/hosts/HostSelect';
import { useDefaultHost } from '@/components/hosts/useDefaultHost';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { useTestOnHost } from '../api/useTestOnHost';
import { useConfigTest } from '../api/useConfigTest';
import { useDraft, useStore } from '../designerContext';
import { type Draft, toDefinition } from '../model/draft/draft';
import type { Problem } from '../model/problems';
import type { HostFindings } from '../useProblems';
import classes from './aside.module.css';
import { HostTestResult } from './HostTestResult';

/** What nginx said, at the fields. The same about several arms is one problem. */
function problemsOf(check: ConfigTestOut): Problem[] {
  const found = new Map<string, Problem>();
  for (const { arm, field, line, message } of check.arms.flatMap(({ findings }) => findings)) {
    if (!field) continue;
    const key = `${field}:${line}:${message}`;
    const known = found.get(key);
    if (known) known.arms?.push(arm);
    else found.set(key, { field, line, message, arms: [arm], source: check.host_name });
  }
  return [...found.values()];
}

interface Props {
  /** A draft with problems is not worth a host's time. */
  disabled: boolean;
  onFindings: (findings: HostFindings | null) => void;
}

/** `nginx -t` for every arm, on the host that would run them. */
export function HostTestPanel({ disabled, onFindings }: Props) {
  const store = useStore();
  const draft = useDraft((current) => current);
  const mayCheck = useHasRole('experimenter');
  const [host, setHost] = useDefaultHost();
  const [checked, setChecked] = useState<Draft | null>(null);
  const ask = useTestOnHost();
  const check = useConfigTest(ask.data?.id ?? null);
  const answer = check.data;
  const isRunning = ask.isPending || (ask.data !== undefined && (!answer || answer.state === 'pending'));

  useEffect(() => {
    if (checked && answer?.state === 'done') onFindings({ draft: checked, problems: problemsOf(answer) });
  }, [answer, checked, onFindings]);

  function start() {
    if (!host) return;
    onFindings(null);
    setChecked(store.draft);
    ask.mutate({ host_id: host, definition: toDefinition(store.draft) });
  }

  return (
    <Panel
      id="host-check"
      title="Check on a host"
      note="The host's own nginx tests the configuration of every arm. Nothing is started."
    >
      <Group gap="sm" align="flex-end" wrap="nowrap">
        <div className={classes.grow}>
          <HostSelect value={host} onChange={setHost} />
        </div>
        <Button
          size="sm"
          variant="default"
          leftSection={isRunning ? <Loader size={12} color="gray" /> : <IconServerBolt size={15} />}
          disabled={!host || disabled || !mayCheck || isRunning}
          onClick={start}
        >
          Check
        </Button>
      </Group>
      {disabled && (
        <Text size="xs" c="var(--text-dim)" mt={6}>
          Mend the problems above first.
        </Text>
      )}
      <div aria-live="polite">
        {(ask.isError || check.isError) && (
          <div className={classes.spaced}>
            <ProblemNotice error={ask.error ?? check.error} />
          </div>
        )}
        {isRunning && !ask.isError && (
          <Text size="sm" c="var(--text-dim)" mt="sm">
            nginx is reading…
          </Text>
        )}
        {answer && !isRunning && <HostTestResult check={answer} isStale={checked !== draft} />}
      </div>
    </Panel>
  );
}
