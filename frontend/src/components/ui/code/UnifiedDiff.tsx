import classes from './UnifiedDiff.module.css';

function kindOf(line: string): 'added' | 'removed' | 'place' | 'file' | undefined {
  if (line.startsWith('+++') || line.startsWith('---')) return 'file';
  if (line.startsWith('@@')) return 'place';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : undefined;
}

/** A unified diff as text. The signs say what the colours say. */
export function UnifiedDiff({ text, label }: { text: string; label: string }) {
  const lines = text.replace(/\n$/, '').split('\n');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <section className={classes.unifiedDiff} aria-label={label} tabIndex={0}>
      <pre>
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of a fixed text
          <span key={index} data-kind={kindOf(line)}>
            {line || ' '}
          </span>
        ))}
      </pre>
    </section>
  );
}
