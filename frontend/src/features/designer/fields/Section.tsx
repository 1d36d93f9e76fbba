import { i18n } from '@lingui/core';
import { Stack, Text, type TextProps } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Panel } from '@/components/ui/Panel';
import { textOfProblems, useField } from '../designerContext';
import { SECTIONS } from '../model/problems';
import classes from './More.module.css';

export type SectionId = (typeof SECTIONS)[number]['id'];

interface Props {
  id: SectionId;
  note?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A part of the form, under its title. */
export function Section({ id, note, actions, children }: Props) {
  const section = SECTIONS.find((one) => one.id === id);
  return (
    <Panel id={`section-${id}`} title={section && i18n._(section.title)} note={note} actions={actions}>
      {children}
    </Panel>
  );
}

/** What helps with what stands beside it. */
export function Note(props: TextProps & { children: ReactNode; role?: string }) {
  return <Text size="xs" c="var(--text-dim)" {...props} />;
}

interface ProblemLineProps {
  path: string;
  label: string;
  /** Shown above. */
  title?: string;
  children?: ReactNode;
}

/** Problems of a whole list or choice rather than of one input; the place itself can be focused. */
export function ProblemLine({ path, label, title, children }: ProblemLineProps) {
  const text = textOfProblems(useField(path, label));
  return (
    <div data-field={path} tabIndex={-1}>
      {title && (
        <Text size="sm" fw={500} mb={4}>
          {title}
        </Text>
      )}
      {children}
      {text && (
        <Text size="xs" c="var(--danger)" mt={4} role="status">
          {text}
        </Text>
      )}
    </div>
  );
}

/** What most do not need, folded away; open from the start where something is set. */
export function More({ summary, open, children }: { summary: string; open: boolean; children: ReactNode }) {
  const [openAtFirst] = useState(open);
  return (
    <details className={classes.more} open={openAtFirst}>
      <summary>{summary}</summary>
      <Stack gap="md">{children}</Stack>
    </details>
  );
}
