export const ROLES = [
  { value: 'viewer', label: 'Viewer' },
  { value: 'experimenter', label: 'Experimenter' },
  { value: 'administrator', label: 'Administrator' },
];
