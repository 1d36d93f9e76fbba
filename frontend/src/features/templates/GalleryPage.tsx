import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { itemsOf } from '@/api/client';
import { listTemplatesOptions, type TemplateSummary } from '@/api/generated';
import { RecipeGallery } from '@/components/recipes/RecipeGallery';
import classes from '@/components/recipes/recipes.module.css';
import { InEnglish } from '@/components/ui/language/InEnglish';
import { ServerText } from '@/components/ui/language/ServerText';
import { PageHeader } from '@/components/ui/PageHeader';
import { QueryView } from '@/components/ui/QueryView';
import { usePageTitle } from '@/lib/usePageTitle';

interface CardProps {
  /** Where it leads, below the address of this page. */
  to: string;
  title: ReactNode;
  question: ReactNode;
  summary: ReactNode;
  foot: ReactNode;
}

function Card({ to, title, question, summary, foot }: CardProps) {
  return (
    <Link to={`/experiments/new/${to}`} className={classes.card}>
      <Text fw={600}>{title}</Text>
      <Text size="sm">{question}</Text>
      <Text size="xs" c="var(--text-dim)">
        {summary}
      </Text>
      <Text size="xs" c="var(--text-dim)" mt="auto">
        {foot}
      </Text>
    </Link>
  );
}

function TemplateCard({
  template: { key, title, question, summary, source },
}: {
  template: TemplateSummary;
}) {
  const [article, year] = [source.title, source.published.slice(0, 4)];
  return (
    <Card
      to={key}
      title={<ServerText text={title} />}
      question={<ServerText text={question} />}
      summary={<ServerText text={summary} />}
      foot={
        <Trans>
          After <InEnglish>{article}</InEnglish>, {year}
        </Trans>
      }
    />
  );
}

/** Not templates: everything is open. */
function OpenDesigns() {
  return (
    <>
      <Card
        to="own"
        title={t`Your own configuration`}
        question={t`Which of two configurations is better?`}
        summary={
          <Trans>
            Drop an nginx.conf, or two: they become an experiment, line by line. Which change between them
            makes the difference?
          </Trans>
        }
        foot={t`Files, a folder, or the output of nginx -T.`}
      />
      <Card
        to="blank?compare=builds"
        title={t`Compare two nginx builds`}
        question={t`Is one nginx faster than another?`}
        summary={
          <Trans>
            Two binaries of a host, such as two versions or nginx and Tengine, run the same configuration
            under the same load. Everything can be changed.
          </Trans>
        }
        foot={t`A host's owner registers builds in caps.toml.`}
      />
      <Card
        to="blank"
        title={t`Design from scratch`}
        question={t`What do you want to know?`}
        summary={
          <Trans>
            Define the factors and levels, the nginx configuration, the streams and the plan, with a live
            preview of every arm.
          </Trans>
        }
        foot={t`You can also import a YAML document there.`}
      />
    </>
  );
}

/** Published experiments, the easy ones first. */
function Articles() {
  const templates = useQuery({
    ...listTemplatesOptions(),
    select: itemsOf,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Section title={t`Published experiments, the easy ones first`}>
      <QueryView query={templates} skeleton={[160]}>
        {(items) => (
          <div className={classes.gallery}>
            {items.map((template) => (
              <TemplateCard key={template.key} template={template} />
            ))}
          </div>
        )}
      </QueryView>
    </Section>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Title order={2} size="h3" mb="sm">
        {title}
      </Title>
      {children}
    </section>
  );
}

export default function GalleryPage() {
  usePageTitle(t`New experiment`);
  return (
    <>
      <PageHeader
        title={t`New experiment`}
        crumbs={[{ label: t`Experiments`, to: '/experiments' }]}
        meta={t`A question is a ready experiment: you can run it as it is, or change all of it first.`}
      />
      <Stack gap="xl">
        <Section title={t`A question of your own`}>
          <div className={classes.gallery}>
            <OpenDesigns />
          </div>
        </Section>
        <RecipeGallery />
        <Articles />
      </Stack>
    </>
  );
}
