import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { getSharedTrendsOptions } from '@/api/generated';
import { AsOf, SharedPage } from '@/components/sharing/ReadOnlyFrame';
import { PageHeader } from '@/components/ui/PageHeader';
import { usePageTitle } from '@/lib/usePageTitle';
import { counted, TrendsView } from './TrendsView';

export default function SharedTrendsPage() {
  const { token = '' } = useParams();
  const query = useQuery(getSharedTrendsOptions({ path: { token } }));
  const name = query.data?.experiment_name ?? '';
  usePageTitle(name ? t`Trends of ${name}` : t`Trends`);
  return (
    <SharedPage query={query} skeleton={[48, 140, 300]}>
      {(trends) => (
        <>
          <PageHeader
            title={t`Trends of ${name}`}
            meta={
              <>
                <span>{counted(trends)}</span>
                <AsOf at={trends.as_of} />
              </>
            }
          />
          <TrendsView trends={trends} />
        </>
      )}
    </SharedPage>
  );
}
