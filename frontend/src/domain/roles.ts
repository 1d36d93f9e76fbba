import { t } from '@lingui/core/macro';
import type { Role } from '@/api/generated';

export const roles = (): { value: Role; label: string }[] => [
  { value: 'viewer', label: t`Viewer` },
  { value: 'experimenter', label: t`Experimenter` },
  { value: 'administrator', label: t`Administrator` },
];

export const nameOfRole = (role: Role) => roles().find(({ value }) => value === role)?.label ?? role;
