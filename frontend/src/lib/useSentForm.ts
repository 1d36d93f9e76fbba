import { zodResolver } from '@hookform/resolvers/zod';
import { type DefaultValues, type FieldValues, type Path, useForm } from 'react-hook-form';
import { showProblems } from './forms';
import type { z } from './zod';

interface Callbacks<R> {
  onSuccess: (answer: R) => void;
  onError: (error: unknown) => void;
}

interface Options<T extends FieldValues, R> {
  schema: z.ZodMiniType<T, T>;
  empty: T;
  send: (values: T, callbacks: Callbacks<R>) => void;
  onSent: (answer: R) => void;
}

/** A form that is checked here, sent, emptied once the server has taken it, and else shows what the server says. */
export function useSentForm<T extends FieldValues, R>({ schema, empty, send, onSent }: Options<T, R>) {
  const form = useForm<T>({ resolver: zodResolver(schema), defaultValues: empty as DefaultValues<T> });
  const submit = form.handleSubmit((values) =>
    send(values, {
      onSuccess: (answer) => {
        form.reset(empty);
        onSent(answer);
      },
      onError: (error) => showProblems(error, Object.keys(empty) as Path<T>[], form.setError),
    }),
  );
  return { form, submit };
}
