import { i18n } from '@lingui/core';
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Panel } from '@/components/ui/Panel';
import { textOfProblems, useField } from '../designerContext';
import { SECTIONS } from '../model/problems';

interface Props {
  id: (typeof SECTIONS)[number]['id'];
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

/** Problems of a whole list or choice rather than of one input; the place itself can be focused. */
export function ProblemLine({
  path,
  label,
  children,
}: {
  path: string;
  label: string;
  children?: ReactNode;
}) {
  const text = textOfProblems(useField(path, label));
  return (
    <div data-field={path} tabIndex={-1}>
      {children}
      {text && (
        <Text size="xs" c="var(--danger)" mt={4} role="status">
          {text}
        </Text>
      )}
    </div>
  );
}
