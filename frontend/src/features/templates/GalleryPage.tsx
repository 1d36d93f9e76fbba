import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { Link } from 'react-router';
import type { TemplateSummary } from '@/api/generated';
import { InEnglish } from '@/components/ui/language/InEnglish';
import { ServerText } from '@/components/ui/language/ServerText';
import { PageHeader } from '@/components/ui/PageHeader';
import { QueryView } from '@/components/ui/QueryView';
import { usePageTitle } from '@/lib/usePageTitle';
import { useTemplates } from './api/useTemplates';
import classes from './GalleryPage.module.css';

function Card({ template: { key, title, question, summary, source } }: { template: TemplateSummary }) {
  const [article, year] = [source.title, source.published.slice(0, 4)];
  return (
    <Link to={`/experiments/new/${key}`} className={classes.card}>
      <Text fw={600}>
        <ServerText text={title} />
      </Text>
      <Text size="sm">
        <ServerText text={question} />
      </Text>
      <Text size="xs" c="var(--text-dim)">
        <ServerText text={summary} />
      </Text>
      <Text size="xs" c="var(--text-dim)" mt="auto">
        <Trans>
          After <InEnglish>{article}</InEnglish>, {year}
        </Trans>
      </Text>
    </Link>
  );
}

/** Not a template: everything is open. */
function BlankCard() {
  return (
    <Link to="/experiments/new/blank" className={classes.card}>
      <Text fw={600}>{t`Design from scratch`}</Text>
      <Text size="sm">{t`What do you want to know?`}</Text>
      <Text size="xs" c="var(--text-dim)">
        <Trans>
          Define the factors and levels, the nginx configuration, the streams and the plan, with a live
          preview of every arm.
        </Trans>
      </Text>
      <Text size="xs" c="var(--text-dim)" mt="auto">
        {t`You can also import a YAML document there.`}
      </Text>
    </Link>
  );
}

/** A design with a factor whose levels are builds of nginx. */
function BuildsCard() {
  return (
    <Link to="/experiments/new/blank?compare=builds" className={classes.card}>
      <Text fw={600}>{t`Compare two nginx builds`}</Text>
      <Text size="sm">{t`Is one nginx faster than another?`}</Text>
      <Text size="xs" c="var(--text-dim)">
        <Trans>
          Two binaries of a host, such as two versions or nginx and Tengine, run the same configuration under
          the same load. Everything can be changed.
        </Trans>
      </Text>
      <Text size="xs" c="var(--text-dim)" mt="auto">
        {t`A host's owner registers builds in caps.toml.`}
      </Text>
    </Link>
  );
}

export default function GalleryPage() {
  usePageTitle(t`New experiment`);
  const templates = useTemplates();
  return (
    <>
      <PageHeader
        title={t`New experiment`}
        crumbs={[{ label: t`Experiments`, to: '/experiments' }]}
        meta={t`Each template repeats a published NGINX experiment; you can change every value. Or design one from scratch.`}
      />
      <QueryView query={templates} skeleton={[160]}>
        {(items) => (
          <div className={classes.gallery}>
            {items.map((template) => (
              <Card key={template.key} template={template} />
            ))}
            <BuildsCard />
            <BlankCard />
          </div>
        )}
      </QueryView>
    </>
  );
}
