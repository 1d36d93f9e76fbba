import type { FieldValues, Path, UseFormSetError } from 'react-hook-form';
import { ApiProblem, messageOf } from './problem';

/**
 * Put the server's problems at their fields; what belongs to no field of the form goes to `root`.
 * `known` are the form's field names; a dotted path of the server is matched by its whole or by its last part.
 */
export function showProblems<T extends FieldValues>(
  error: unknown,
  known: readonly Path<T>[],
  setError: UseFormSetError<T>,
): void {
  const elsewhere: string[] = [];
  const fields = error instanceof ApiProblem ? error.fields : [];
  for (const { field, message } of fields) {
    const target = known.find((name) => name === field || field.endsWith(`.${name}`));
    if (target) setError(target, { type: 'server', message });
    else elsewhere.push(field ? `${field}: ${message}` : message);
  }
  if (fields.length === 0) elsewhere.push(messageOf(error));
  if (elsewhere.length > 0) setError('root', { type: 'server', message: elsewhere.join('; ') });
}
