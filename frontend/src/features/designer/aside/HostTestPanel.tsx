import { t } from '@lingui/core/macro';
import { Alert, Button, Group, Loader, Text } from '@mantine/core';
import { IconCheck, IconServerBolt, IconX } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import type { ArmConfigFinding, ConfigTestOut } from '@/api/generated';
import { useHosts } from '@/api/hosts';
import { useHasRole } from '@/api/session';
import { HostSelect } from '@/components/hosts/HostSelect';
import { useDefaultHost } from '@/components/hosts/useHostChoice';
import { ServerText } from '@/components/ui/language/ServerText';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { StateText } from '@/components/ui/StateText';
import { bindBuilds, buildsOfDefinition } from '@/domain/builds';
import { useConfigTest, useTestOnHost } from '../api';
import { useDraft, useStore } from '../designerContext';
import { focusField } from '../fieldRegistry';
import { Note } from '../fields/Section';
import { type Draft, toDefinition } from '../model/draft/draft';
import type { Problem } from '../model/problems';
import type { HostFindings } from '../useProblems';
import classes from './aside.module.css';

interface Props {
  /** A draft with problems is not worth a host's time. */
  disabled: boolean;
  onFindings: (findings: HostFindings | null) => void;
}

/** `nginx -t` for every arm, on the host that would run them. */
export function HostTestPanel({ disabled, onFindings }: Props) {
  const { start, answer, isRunning, error, isStale } = useHostTest(onFindings);
  const mayTest = useHasRole('experimenter');
  const [host, setHost] = useDefaultHost();
  return (
    <Panel
      id="host-test"
      title={t`Test on a host`}
      note={t`nginx on the host tests the configuration of every arm (nginx -t). Nothing is started.`}
    >
      <Group gap="sm" align="flex-end" wrap="nowrap">
        <div className={classes.grow}>
          <HostSelect value={host} onChange={setHost} />
        </div>
        <Button
          size="sm"
          variant="default"
          leftSection={isRunning ? <Loader size={12} color="gray" /> : <IconServerBolt size={15} />}
          disabled={!host || disabled || !mayTest || isRunning}
          onClick={() => host && start(host)}
        >
          {t`Test`}
        </Button>
      </Group>
      {disabled && <Note mt={6}>{t`Fix the problems above first.`}</Note>}
      <div aria-live="polite">
        {error && (
          <div className={classes.spaced}>
            <ProblemNotice error={error} />
          </div>
        )}
        {isRunning && !error && <Note size="sm" mt="sm">{t`Testing…`}</Note>}
        {answer && !isRunning && <HostTestResult test={answer} isStale={isStale} />}
      </div>
    </Panel>
  );
}

/** Where a finding leads: the field and line of the template, or the line of what ngxlab wrote. */
function placeOf({ field, line, rendered_line }: ArmConfigFinding): string | null {
  if (field) return line ? t`${field}, line ${line}` : field;
  return rendered_line ? t`nginx.conf, line ${rendered_line}` : null;
}

function Finding({ finding }: { finding: ArmConfigFinding }) {
  const place = placeOf(finding);
  const { field } = finding;
  return (
    <li>
      {field ? (
        <button type="button" onClick={() => focusField(field)}>
          {place}
        </button>
      ) : (
        place && <b>{place}</b>
      )}{' '}
      <span lang="en">
        [{finding.severity}] {finding.message}
      </span>
    </li>
  );
}

/** Arm by arm: whether nginx takes its configuration, and what it said. */
function HostTestResult({ test, isStale }: { test: ConfigTestOut; isStale: boolean }) {
  if (test.state === 'failed')
    return (
      <Alert mt="sm" color="red" variant="light" title={t`The host did not answer`}>
        {test.reason && <ServerText text={test.reason} />}
      </Alert>
    );
  const host = test.host_name;
  const several = new Set(test.arms.map(({ nginx }) => nginx)).size > 1;
  return (
    <div className={classes.spaced} data-stale={isStale || undefined}>
      <Text size="sm" fw={600}>
        {test.accepted ? t`nginx on ${host} accepts every arm` : t`nginx on ${host} rejects at least one arm`}
      </Text>
      {isStale && <Note>{t`The draft has changed since this test.`}</Note>}
      <ul className={classes.armTests} aria-label={t`Test results by arm`}>
        {test.arms.map(({ arm, accepted, findings, nginx }) => (
          <li key={arm}>
            <StateText tone={accepted ? 'done' : 'danger'} icon={accepted ? IconCheck : IconX}>
              {accepted ? t`${arm} accepted` : t`${arm} rejected`}
            </StateText>
            {several && <code> {nginx}</code>}
            {findings.length > 0 && (
              <ul className={classes.findings}>
                {findings.map((finding) => (
                  <Finding key={`${finding.rendered_line}:${finding.message}`} finding={finding} />
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** What nginx said, at the fields. The same about several arms is one problem. */
function problemsOf(test: ConfigTestOut): Problem[] {
  const found = new Map<string, Problem>();
  for (const { arm, field, line, message } of test.arms.flatMap(({ findings }) => findings)) {
    if (!field) continue;
    const key = `${field}:${line}:${message}`;
    const known = found.get(key);
    if (known) known.arms?.push(arm);
    else found.set(key, { field, line, message, arms: [arm], source: test.host_name });
  }
  return [...found.values()];
}

/** Asks a host to test the draft, and hands over what its nginx finds. */
function useHostTest(onFindings: (findings: HostFindings | null) => void) {
  const store = useStore();
  const draft = useDraft((current) => current);
  const [tested, setTested] = useState<Draft | null>(null);
  const ask = useTestOnHost();
  const test = useConfigTest(ask.data?.id ?? null);
  const answer = test.data;
  const { data: hosts } = useHosts();

  useEffect(() => {
    if (tested && answer?.state === 'done') onFindings({ draft: tested, problems: problemsOf(answer) });
  }, [answer, tested, onFindings]);

  function start(host: string) {
    const registered = hosts?.find(({ id }) => id === host)?.nginx ?? [];
    onFindings(null);
    setTested(store.draft);
    const nginx = bindBuilds(buildsOfDefinition(store.draft), registered, {});
    ask.mutate({ host_id: host, definition: toDefinition(store.draft), nginx });
  }

  return {
    start,
    answer,
    isRunning: ask.isPending || (ask.data !== undefined && (!answer || answer.state === 'pending')),
    error: ask.error ?? test.error,
    /** Whether the draft has changed since. */
    isStale: tested !== draft,
  };
}
