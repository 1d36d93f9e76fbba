import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';

function OutwardLink({ href, children }: { href?: string; children?: ReactNode }) {
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

/**
 * HTML is shown as it was typed. A picture is a link to it: fetching one would tell somebody else who reads the note.
 * Headings stand below that of the panel around them.
 */
const COMPONENTS: Components = {
  h1: 'h3',
  h2: 'h3',
  h3: 'h4',
  h4: 'h4',
  h5: 'h4',
  h6: 'h4',
  a: ({ href, children }) => <OutwardLink href={href}>{children}</OutwardLink>,
  img: ({ src, alt }) => (
    <OutwardLink href={typeof src === 'string' ? src : undefined}>{alt || t`picture`}</OutwardLink>
  ),
};

export function Rendered({ text }: { text: string }) {
  return <ReactMarkdown components={COMPONENTS}>{text}</ReactMarkdown>;
}
