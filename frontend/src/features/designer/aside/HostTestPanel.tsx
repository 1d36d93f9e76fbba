import { plural, t } from '@lingui/core/macro';
import { Alert, Button, Group, Loader, Text } from '@mantine/core';
import { IconCheck, IconServerBolt, IconX } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import type { ArmConfigFinding, ArmConfigTest, ConfigTestOut, FirstAnswerOut } from '@/api/generated';
import { useHosts } from '@/api/hosts';
import { useHasRole } from '@/api/session';
import { HostSelect } from '@/components/hosts/HostSelect';
import { useDefaultHost } from '@/components/hosts/useHostChoice';
import { ServerText } from '@/components/ui/language/ServerText';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { StateText } from '@/components/ui/StateText';
import { bindBuilds, buildsOfDefinition } from '@/domain/builds';
import { english } from '@/lib/language/serverText';
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

/** `nginx -t` for every arm, on the host that would run them, and one real request of each stream. */
export function HostTestPanel({ disabled, onFindings }: Props) {
  const { start, answer, isRunning, error, isStale } = useHostTest(onFindings);
  const mayTest = useHasRole('experimenter');
  const [host, setHost] = useDefaultHost();
  return (
    <Panel
      id="host-test"
      title={t`Test on a host`}
      note={t`nginx on the host tests the configuration of every arm (nginx -t). Then each arm is started for a moment, and answers one real request of each stream.`}
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

/** "GET /files/0 → 404, text/html, 153 B", what is not as declared, and what differs from the baseline. */
function Answer({ answer, ofStream }: { answer: FirstAnswerOut; ofStream: boolean }) {
  const { stream, text, departures, differences } = answer;
  return (
    <li data-bad={departures.length > 0 || undefined}>
      {ofStream && <span>{stream}: </span>}
      <code lang="en">{text.replace(' -> ', ' → ')}</code>
      {departures.map((departure) => (
        <p key={english(departure)} data-bad>
          <ServerText text={departure} />
        </p>
      ))}
      {differences.map((difference) => (
        <p key={english(difference)} data-other>
          <ServerText text={difference} />
        </p>
      ))}
    </li>
  );
}

/** What the first requests of an arm were answered, or why they were not sent. */
function Answers({ arm: { arm, answers = [], unanswered } }: { arm: ArmConfigTest }) {
  const several = new Set(answers.map(({ stream }) => stream)).size > 1;
  return (
    <>
      {answers.length > 0 && (
        <ul className={classes.answers} aria-label={t`First answers of ${arm}`}>
          {answers.map((answer) => (
            <Answer key={`${answer.stream}:${answer.path}`} answer={answer} ofStream={several} />
          ))}
        </ul>
      )}
      {unanswered && (
        <Note>
          {t`Not asked, or not to the end:`} <ServerText text={unanswered} />
        </Note>
      )}
    </>
  );
}

/** Whether the answers are what was declared, in one line. */
function AnswersSummary({ arms }: { arms: readonly ArmConfigTest[] }) {
  const answers = arms.flatMap(({ answers = [] }) => answers);
  const odd = answers.filter(({ departures }) => departures.length > 0).length;
  if (answers.length === 0) return null;
  return (
    <StateText tone={odd > 0 ? 'danger' : 'done'} icon={odd > 0 ? IconX : IconCheck}>
      {odd > 0
        ? plural(odd, {
            one: '# first answer is not as declared',
            other: '# first answers are not as declared',
          })
        : t`Nothing in the first answers contradicts the definition`}
    </StateText>
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
      <AnswersSummary arms={test.arms} />
      {isStale && <Note>{t`The draft has changed since this test.`}</Note>}
      <ul className={classes.armTests} aria-label={t`Test results by arm`}>
        {test.arms.map((tested) => (
          <TestedArm key={tested.arm} tested={tested} withNginx={several} />
        ))}
      </ul>
    </div>
  );
}

function TestedArm({ tested, withNginx }: { tested: ArmConfigTest; withNginx: boolean }) {
  const { arm, accepted, findings, nginx } = tested;
  return (
    <li>
      <StateText tone={accepted ? 'done' : 'danger'} icon={accepted ? IconCheck : IconX}>
        {accepted ? t`${arm} accepted` : t`${arm} rejected`}
      </StateText>
      {withNginx && <code> {nginx}</code>}
      {findings.length > 0 && (
        <ul className={classes.findings}>
          {findings.map((finding) => (
            <Finding key={`${finding.rendered_line}:${finding.message}`} finding={finding} />
          ))}
        </ul>
      )}
      <Answers arm={tested} />
    </li>
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
