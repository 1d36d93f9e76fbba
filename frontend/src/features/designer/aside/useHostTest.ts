import { useEffect, useState } from 'react';
import type { ConfigTestOut } from '@/api/generated';
import { useHosts } from '@/api/useHosts';
import { bindBuilds, buildsOfDefinition } from '@/domain/builds';
import { useConfigTest } from '../api/useConfigTest';
import { useTestOnHost } from '../api/useTestOnHost';
import { useDraft, useStore } from '../designerContext';
import { type Draft, toDefinition } from '../model/draft/draft';
import type { Problem } from '../model/problems';
import type { HostFindings } from '../useProblems';

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
export function useHostTest(onFindings: (findings: HostFindings | null) => void) {
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
