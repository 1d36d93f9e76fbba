const FIELDS = 'input:not([type=radio], [type=checkbox]), textarea';

let last: EventTarget | null = null;
document.addEventListener('input', ({ target }) => (last = target), true);

/** Whether a field of the page, other than a choice, holds something that the reader typed last. */
export function hasTyped(): boolean {
  return (
    (last instanceof HTMLInputElement || last instanceof HTMLTextAreaElement) &&
    last.matches(FIELDS) &&
    last.isConnected &&
    last.value !== ''
  );
}
