import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { getSharedComparisonOptions } from '@/api/generated';
import { AsOf, SharedPage } from '@/components/sharing/ReadOnlyFrame';
import { PageHeader } from '@/components/ui/PageHeader';
import { usePageTitle } from '@/lib/usePageTitle';
import { ComparisonView } from './ComparisonView';

export default function SharedComparisonPage() {
  const { token = '' } = useParams();
  const query = useQuery(getSharedComparisonOptions({ path: { token } }));
  usePageTitle(t`Runs compared`);
  return (
    <SharedPage query={query} skeleton={[48, 160, 140, 320]}>
      {(comparison) => (
        <>
          <PageHeader title={t`Runs compared`} meta={<AsOf at={comparison.as_of} />} />
          <ComparisonView comparison={comparison} catalogue={comparison.catalogue} />
        </>
      )}
    </SharedPage>
  );
}
