import type { Role } from '@/api/generated';

export const ROLES: { value: Role; label: string }[] = [
  { value: 'viewer', label: 'Viewer' },
  { value: 'experimenter', label: 'Experimenter' },
  { value: 'administrator', label: 'Administrator' },
];

export const nameOfRole = (role: Role) => ROLES.find(({ value }) => value === role)?.label ?? role;
