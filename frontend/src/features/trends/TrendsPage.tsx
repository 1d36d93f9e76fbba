import { t } from '@lingui/core/macro';
import { Select } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { getTrendsOptions } from '@/api/generated';
import { trendsOf } from '@/api/shares';
import { ShareButton } from '@/components/sharing/ShareButton';
import { PageHeader } from '@/components/ui/PageHeader';
import { QueryView } from '@/components/ui/QueryView';
import { useSearchState } from '@/lib/useAddress';
import { usePageTitle } from '@/lib/usePageTitle';
import { counted, TrendsView } from './TrendsView';

interface ChoiceProps {
  branches: readonly string[];
  chosen: string;
  onChoose: (branch: string | null) => void;
}

/** Of which branch runs are drawn; nothing where no run says its branch. */
function BranchChoice({ branches, chosen, onChoose }: ChoiceProps) {
  if (branches.length === 0 && chosen === '') return null;
  return (
    <Select
      mb="md"
      maw={280}
      label={t`Branch`}
      placeholder={t`Any`}
      clearable
      data={[...new Set([...branches, ...(chosen ? [chosen] : [])])]}
      value={chosen || null}
      onChange={onChoose}
    />
  );
}

export default function TrendsPage() {
  const { experimentId = '' } = useParams();
  const [branch, chooseBranch] = useSearchState('branch');
  const query = useQuery({
    ...getTrendsOptions({ path: { experiment_id: experimentId }, query: { branch: branch || undefined } }),
    placeholderData: keepPreviousData, // the choice stays while another branch is loaded
    refetchOnMount: 'always', // another run may have ended
    // Means of older runs are computed one after the other.
    refetchInterval: ({ state }) =>
      state.data?.left_out.some(({ is_pending }) => is_pending) ? 2_000 : false,
  });
  const name = query.data?.experiment_name;
  usePageTitle(name ? t`Trends of ${name}` : t`Trends`);
  return (
    <QueryView
      query={query}
      skeleton={[48, 140, 300]}
      wayOut={{ label: t`All experiments`, to: '/experiments' }}
    >
      {(trends) => (
        <>
          <PageHeader
            title={t`Trends`}
            crumbs={[
              { label: t`Experiments`, to: '/experiments' },
              { label: trends.experiment_name, to: `/experiments/${trends.experiment_id}` },
            ]}
            meta={<span>{counted(trends)}</span>}
            actions={<ShareButton subject={trendsOf(experimentId)} />}
          />
          <BranchChoice branches={trends.branches ?? []} chosen={branch} onChoose={chooseBranch} />
          <TrendsView trends={trends} />
        </>
      )}
    </QueryView>
  );
}
