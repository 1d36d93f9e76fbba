import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor } from '@mantine/core';
import type { TemplateDetail } from '@/api/generated';
import { InEnglish } from '@/components/ui/language/InEnglish';
import { ServerText } from '@/components/ui/language/ServerText';
import { Panel } from '@/components/ui/Panel';
import { Prose } from '@/components/ui/Prose';
import { languageOf, said } from '@/lib/language/serverText';
import classes from './MechanismPanel.module.css';

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
