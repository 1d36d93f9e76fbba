import { Text } from '@mantine/core';
import { Link } from 'react-router';
import type { TemplateSummary } from '@/api/generated';
import { PageHeader } from '@/components/ui/PageHeader';
import { Prose } from '@/components/ui/Prose';
import { QueryView } from '@/components/ui/QueryView';
import { usePageTitle } from '@/lib/usePageTitle';
import { useTemplates } from './api/useTemplates';
import classes from './GalleryPage.module.css';

function Card({ template }: { template: TemplateSummary }) {
  return (
    <Link to={`/experiments/new/${template.key}`} className={classes.card}>
      <Text fw={600}>{template.title}</Text>
      <Text size="sm">
        <Prose text={template.question} />
      </Text>
      <Text size="xs" c="var(--text-dim)">
        {template.summary}
      </Text>
      <Text size="xs" c="var(--text-dim)" mt="auto">
        After {template.source.title}, {template.source.published.slice(0, 4)}
      </Text>
    </Link>
  );
}

/** Not a template: everything is open. */
function BlankCard() {
  return (
    <Link to="/experiments/new/blank" className={classes.card}>
      <Text fw={600}>Design from scratch</Text>
      <Text size="sm">What do you want to know?</Text>
      <Text size="xs" c="var(--text-dim)">
        Define the factors and levels, the nginx configuration, the streams and the plan, with a live preview
        of every arm.
      </Text>
      <Text size="xs" c="var(--text-dim)" mt="auto">
        You can also import a YAML document there.
      </Text>
    </Link>
  );
}

/** A design with a factor whose levels are builds of nginx. */
function BuildsCard() {
  return (
    <Link to="/experiments/new/blank?compare=builds" className={classes.card}>
      <Text fw={600}>Compare two nginx builds</Text>
      <Text size="sm">Is one nginx faster than another?</Text>
      <Text size="xs" c="var(--text-dim)">
        Two binaries of a host, such as two versions or nginx and Tengine, run the same configuration under
        the same load. Everything can be changed.
      </Text>
      <Text size="xs" c="var(--text-dim)" mt="auto">
        A host's owner registers builds in caps.toml.
      </Text>
    </Link>
  );
}

export default function GalleryPage() {
  usePageTitle('New experiment');
  const templates = useTemplates();
  return (
    <>
      <PageHeader
        title="New experiment"
        crumbs={[{ label: 'Experiments', to: '/experiments' }]}
        meta="Each template repeats a published NGINX experiment; you can change every value. Or design one from scratch."
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
