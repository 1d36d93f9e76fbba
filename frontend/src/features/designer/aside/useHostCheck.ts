import { useEffect, useState } from 'react';
import type { ConfigCheckOut } from '@/api/generated';
import { useCheckOnHost } from '../api/useCheckOnHost';
import { useConfigCheck } from '../api/useConfigCheck';
import { useDraft, useStore } from '../designerContext';
import { type Draft, toDefinition } from '../model/draft/draft';
import type { Problem } from '../model/problems';
import type { HostFindings } from '../useProblems';

/** What nginx said, at the fields. The same about several arms is one problem. */
function problemsOf(check: ConfigCheckOut): Problem[] {
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

/** Asks a host to check the draft, and hands over what its nginx finds. */
export function useHostCheck(onFindings: (findings: HostFindings | null) => void) {
  const store = useStore();
  const draft = useDraft((current) => current);
  const [checked, setChecked] = useState<Draft | null>(null);
  const ask = useCheckOnHost();
  const check = useConfigCheck(ask.data?.id ?? null);
  const answer = check.data;

  useEffect(() => {
    if (checked && answer?.state === 'done') onFindings({ draft: checked, problems: problemsOf(answer) });
  }, [answer, checked, onFindings]);

  function start(host: string) {
    onFindings(null);
    setChecked(store.draft);
    ask.mutate({ host_id: host, definition: toDefinition(store.draft) });
  }

  return {
    start,
    answer,
    isRunning: ask.isPending || (ask.data !== undefined && (!answer || answer.state === 'pending')),
    error: ask.error ?? check.error,
    /** Whether the draft has changed since. */
    isStale: checked !== draft,
  };
}
