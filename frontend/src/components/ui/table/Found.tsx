/** Says how many a search has found to those who do not see the rows change; nothing until the first answer. */
export function Found({ text }: { text: string | undefined }) {
  return (
    <p role="status" className="visually-hidden">
      {text}
    </p>
  );
}
