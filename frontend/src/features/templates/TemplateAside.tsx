import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Anchor, Skeleton, Stack } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { Preview, TemplateDetail } from '@/api/generated';
import { ArmConfigs } from '@/components/config/ArmConfigs';
import { PlanTimeline } from '@/components/experiments/PlanTimeline';
import { InEnglish } from '@/components/ui/language/InEnglish';
import { ServerText } from '@/components/ui/language/ServerText';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { Prose } from '@/components/ui/Prose';
import { languageOf, said } from '@/lib/language/serverText';
import classes from './TemplateAside.module.css';

function Article({ source: { title, published, url } }: Pick<TemplateDetail, 'source'>) {
  const article = `${title}, ${published}`;
  if (!url) return <InEnglish>{article}</InEnglish>;
  return (
    <Anchor href={url} target="_blank" rel="noreferrer" underline="always" size="sm" lang="en">
      {article}
    </Anchor>
  );
}

/** What happens and why, in plain words, and whose finding it was. */
export function MechanismPanel({ template: { mechanism, source, charts } }: { template: TemplateDetail }) {
  return (
    <Panel title={t`How it works`}>
      <div className={classes.mechanism}>
        {said(mechanism)
          .split(/\n\n+/)
          .map((paragraph) => (
            <p key={paragraph} lang={languageOf(mechanism)}>
              <Prose text={paragraph} />
            </p>
          ))}
        <p>
          <Trans>
            After <Article source={source} />
          </Trans>
        </p>
        {charts.length > 0 && (
          <details>
            <summary>{t`What the report can show`}</summary>
            <dl>
              {charts.map(({ key, title, why }) => (
                <div key={key}>
                  <dt>
                    <ServerText text={title} />
                  </dt>
                  <dd>
                    <ServerText text={why} />
                  </dd>
                </div>
              ))}
            </dl>
          </details>
        )}
      </div>
    </Panel>
  );
}

/** What the form's values would run: the plan and each arm's configuration. */
export function TemplatePreview({ preview }: { preview: UseQueryResult<Preview> }) {
  const { data } = preview;
  if (preview.isError && !data)
    return <ProblemNotice error={preview.error} retry={() => void preview.refetch()} />;
  if (!data)
    return (
      <Stack aria-busy="true">
        <Skeleton height={130} />
        <Skeleton height={300} />
      </Stack>
    );
  if (!data.plan || !data.baseline)
    return (
      <Panel title={t`Preview`}>
        <Alert variant="light" color="gray">
          {t`The preview appears when every value is valid.`}
        </Alert>
      </Panel>
    );
  return (
    <Stack gap="md">
      <Panel title={t`Plan`}>
        <PlanTimeline plan={data.plan} />
      </Panel>
      <Panel
        title={t`Arms`}
        note={t`The exact nginx.conf of each arm. Changes are relative to the baseline.`}
      >
        <ArmConfigs arms={data.arms ?? []} baseline={data.baseline} />
      </Panel>
    </Stack>
  );
}
