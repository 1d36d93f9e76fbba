import { useMutation } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { createEnrolmentToken } from '@/api/generated';

/** A one-time token with which a host joins. */
export function useCreateEnrolmentToken() {
  return useMutation({
    mutationFn: (minutes: number) =>
      unwrap(createEnrolmentToken({ body: { expires_in_minutes: minutes }, throwOnError: true })),
  });
}
