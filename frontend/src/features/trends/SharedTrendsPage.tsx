import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { getSharedTrendsOptions } from '@/api/generated';
import { ShareToken } from '@/api/shareToken';
import { AsOf, ReadOnlyFrame, start } from '@/components/sharing/ReadOnlyFrame';
import { PageHeader } from '@/components/ui/PageHeader';
import { QueryView } from '@/components/ui/QueryView';
import { usePageTitle } from '@/lib/usePageTitle';
import { counted, TrendsView } from './TrendsView';

/** Trends for anyone with the link: nothing around them, nothing to change. */
export default function SharedTrendsPage() {
  const { token = '' } = useParams();
  const query = useQuery(getSharedTrendsOptions({ path: { token } }));
  const name = query.data?.experiment_name ?? '';
  usePageTitle(name ? t`Trends of ${name}` : t`Trends`);
  return (
    <ShareToken value={token}>
      <ReadOnlyFrame>
        <QueryView query={query} skeleton={[48, 140, 300]} wayOut={start()}>
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
        </QueryView>
      </ReadOnlyFrame>
    </ShareToken>
  );
}
