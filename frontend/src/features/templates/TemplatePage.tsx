import { t } from '@lingui/core/macro';
import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';
import { useExperiment } from '@/api/experiments';
import { getTemplateOptions, type TemplateDetail } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { PageHeader } from '@/components/ui/PageHeader';
import { QueryView } from '@/components/ui/QueryView';
import { said } from '@/lib/language/serverText';
import { useSearchState } from '@/lib/useAddress';
import { usePageTitle } from '@/lib/usePageTitle';
import { TemplateForm } from './TemplateForm';

/** Starts from a template's defaults, or with `?from=` from the parameters of an experiment. */
export default function TemplatePage() {
  const { templateKey = '' } = useParams();
  const [from] = useSearchState('from');
  const template = useQuery({
    ...getTemplateOptions({ path: { key: templateKey } }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const title = template.data && said(template.data.title);
  usePageTitle(title ? t`New: ${title}` : t`New experiment`);
  return (
    <QueryView
      query={template}
      skeleton={[40, 420]}
      wayOut={{ label: t`All templates`, to: '/experiments/new' }}
    >
      {(data) => (
        <>
          <PageHeader
            title={<ServerText text={data.title} />}
            crumbs={[
              { label: t`Experiments`, to: '/experiments' },
              { label: t`New`, to: '/experiments/new' },
            ]}
            meta={<ServerText text={data.question} />}
          />
          {from ? (
            <FormFromExperiment template={data} experimentId={from} />
          ) : (
            <TemplateForm template={data} />
          )}
        </>
      )}
    </QueryView>
  );
}

interface FromProps {
  template: TemplateDetail;
  experimentId: string;
}

function FormFromExperiment({ template, experimentId }: FromProps) {
  const experiment = useExperiment(experimentId);
  if (experiment.isPending) return <Skeleton height={420} />;
  const origin = experiment.data?.definition.template;
  return <TemplateForm template={template} given={origin?.parameters} givenName={experiment.data?.name} />;
}
