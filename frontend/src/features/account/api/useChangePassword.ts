import { useMutation } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { changePassword, type PasswordChange } from '@/api/generated';

export function useChangePassword() {
  return useMutation({
    meta: { errorShownInPlace: true },
    mutationFn: (body: PasswordChange) => unwrap(changePassword({ body, throwOnError: true })),
  });
}
