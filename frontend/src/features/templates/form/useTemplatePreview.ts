import { useDebouncedValue } from '@mantine/hooks';
import { type UseFormReturn, useWatch } from 'react-hook-form';
import { usePreview } from '../api/usePreview';
import type { FormValues, formSchema } from './parameters';

/** What the form would run, by the server; asked for when typing pauses, and for values that the form accepts. */
export function useTemplatePreview(
  templateKey: string,
  form: UseFormReturn<FormValues>,
  schema: ReturnType<typeof formSchema>,
) {
  const watched = useWatch({ control: form.control, name: 'parameters' });
  const [parameters] = useDebouncedValue(watched, 300);
  const isAcceptable = schema.shape.parameters.safeParse(parameters).success;
  const preview = usePreview(templateKey, parameters, isAcceptable);
  const found = isAcceptable ? (preview.data?.problems ?? []) : [];
  return {
    parameters,
    preview,
    problems: new Map(found.map((item) => [item.field, item.message])),
    /** Whether these very values are known to make an experiment. */
    isSound: isAcceptable && preview.data !== undefined && found.length === 0 && !preview.isPlaceholderData,
  };
}
