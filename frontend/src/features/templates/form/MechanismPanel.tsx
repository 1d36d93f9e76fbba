import { Anchor } from '@mantine/core';
import type { TemplateDetail } from '@/api/generated';
import { Panel } from '@/components/ui/Panel';
import { Prose } from '@/components/ui/Prose';
import classes from './MechanismPanel.module.css';

/** What happens and why, in plain words, and whose finding it was. */
export function MechanismPanel({ template: { mechanism, source, charts } }: { template: TemplateDetail }) {
  const article = `${source.title}, ${source.published}`;
  return (
    <Panel title="How it works">
      <div className={classes.mechanism}>
        {mechanism.split(/\n\n+/).map((paragraph) => (
          <p key={paragraph}>
            <Prose text={paragraph} />
          </p>
        ))}
        <p>
          After{' '}
          {source.url ? (
            <Anchor href={source.url} target="_blank" rel="noreferrer" underline="always" size="sm">
              {article}
            </Anchor>
          ) : (
            article
          )}
        </p>
        {charts.length > 0 && (
          <details>
            <summary>What the report can show</summary>
            <dl>
              {charts.map(({ key, title, why }) => (
                <div key={key}>
                  <dt>{title}</dt>
                  <dd>
                    <Prose text={why} />
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
