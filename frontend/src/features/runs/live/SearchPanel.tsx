import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { RunDetail } from '@/api/generated';
import { SearchChart, SearchWords } from '@/components/capacity/SearchChart';
import { armColor } from '@/components/charts/palette';
import { ArmMark } from '@/components/experiments/ArmMark';
import { Panel } from '@/components/ui/Panel';
import { armIndex, armLabel, placeOf } from '@/domain/trials';
import { type LiveSearch, searchesKey } from './searches';

/** Only the live stream brings them. */
function useSearches(runId: string) {
  return useQuery<LiveSearch[]>({
    queryKey: searchesKey(runId),
    queryFn: ({ client }) => client.getQueryData<LiveSearch[]>(searchesKey(runId)) ?? [],
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The search of the trial that runs, or that ran last: the rates between which the capacity lies come together. */
export function SearchPanel({ run }: { run: RunDetail }) {
  const { data: searches = [] } = useSearches(run.id);
  const current = run.progress.current_trial_id;
  const shown = searches.find(({ trial_id }) => trial_id === current) ?? searches.at(-1);
  const trial = run.trials.find(({ id }) => id === shown?.trial_id);
  if (!shown || !trial)
    return (
      <Panel title={t`Search for the capacity`}>
        <Text
          size="sm"
          c="var(--text-dim)"
        >{t`A search begins with the measured window of each trial.`}</Text>
      </Panel>
    );
  const { search, steps } = shown;
  const index = armIndex(run.arms, trial.arm);
  const label = armLabel(run.arms, trial.arm);
  return (
    <Panel title={t`Search for the capacity`} note={t`Each point is a rate that was tried in this trial.`}>
      <Text size="sm" role="status" mb="xs">
        <ArmMark index={index} label={label} /> {placeOf(trial)}.{' '}
        <SearchWords search={search} steps={steps} />
      </Text>
      {steps.length > 0 && (
        <SearchChart
          key={shown.trial_id}
          searched={[{ label, color: armColor(index), search, steps: steps.map((step) => ({ step })) }]}
          isBand
        />
      )}
    </Panel>
  );
}
