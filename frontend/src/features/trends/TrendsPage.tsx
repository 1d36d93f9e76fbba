import { t } from '@lingui/core/macro';
import { useParams } from 'react-router';
import { trendsOf } from '@/api/sharing/subjects';
import { ShareButton } from '@/components/sharing/ShareButton';
import { PageHeader } from '@/components/ui/PageHeader';
import { QueryView } from '@/components/ui/QueryView';
import { usePageTitle } from '@/lib/usePageTitle';
import { useTrends } from './api/useTrends';
import { counted, TrendsView } from './TrendsView';

export default function TrendsPage() {
  const { experimentId = '' } = useParams();
  const query = useTrends(experimentId);
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
          <TrendsView trends={trends} />
        </>
      )}
    </QueryView>
  );
}
