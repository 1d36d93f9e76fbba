import { t } from '@lingui/core/macro';
import { Button, Group, Loader, Text } from '@mantine/core';
import { IconServerBolt } from '@tabler/icons-react';
import { useHasRole } from '@/api/useMe';
import { HostSelect } from '@/components/hosts/HostSelect';
import { useDefaultHost } from '@/components/hosts/useDefaultHost';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import type { HostFindings } from '../useProblems';
import classes from './aside.module.css';
import { HostTestResult } from './HostTestResult';
import { useHostTest } from './useHostTest';

interface Props {
  /** A draft with problems is not worth a host's time. */
  disabled: boolean;
  onFindings: (findings: HostFindings | null) => void;
}

interface FormProps {
  disabled: boolean;
  isRunning: boolean;
  onStart: (host: string) => void;
}

function Form({ disabled, isRunning, onStart }: FormProps) {
  const mayTest = useHasRole('experimenter');
  const [host, setHost] = useDefaultHost();
  return (
    <Group gap="sm" align="flex-end" wrap="nowrap">
      <div className={classes.grow}>
        <HostSelect value={host} onChange={setHost} />
      </div>
      <Button
        size="sm"
        variant="default"
        leftSection={isRunning ? <Loader size={12} color="gray" /> : <IconServerBolt size={15} />}
        disabled={!host || disabled || !mayTest || isRunning}
        onClick={() => host && onStart(host)}
      >
        {t`Test`}
      </Button>
    </Group>
  );
}

function Answer({ answer, isRunning, error, isStale }: Omit<ReturnType<typeof useHostTest>, 'start'>) {
  return (
    <div aria-live="polite">
      {error && (
        <div className={classes.spaced}>
          <ProblemNotice error={error} />
        </div>
      )}
      {isRunning && !error && (
        <Text size="sm" c="var(--text-dim)" mt="sm">
          {t`Testing…`}
        </Text>
      )}
      {answer && !isRunning && <HostTestResult test={answer} isStale={isStale} />}
    </div>
  );
}

/** `nginx -t` for every arm, on the host that would run them. */
export function HostTestPanel({ disabled, onFindings }: Props) {
  const { start, ...test } = useHostTest(onFindings);
  return (
    <Panel
      id="host-test"
      title={t`Test on a host`}
      note={t`nginx on the host tests the configuration of every arm (nginx -t). Nothing is started.`}
    >
      <Form disabled={disabled} isRunning={test.isRunning} onStart={start} />
      {disabled && (
        <Text size="xs" c="var(--text-dim)" mt={6}>
          {t`Fix the problems above first.`}
        </Text>
      )}
      <Answer {...test} />
    </Panel>
  );
}
