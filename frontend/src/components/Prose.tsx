import { Code } from '@mantine/core';
import { Fragment } from 'react';

/** Plain text of the backend in which names stand in backticks. */
export function Prose({ text }: { text: string }) {
  return text.split('`').map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a fixed text
    index % 2 === 1 ? <Code key={index}>{part}</Code> : <Fragment key={index}>{part}</Fragment>,
  );
}
