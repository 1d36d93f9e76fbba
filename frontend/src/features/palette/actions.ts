import { t } from '@lingui/core/macro';
import type { MantineColorScheme } from '@mantine/core';
import {
  IconArrowsDiff,
  IconDatabase,
  IconFileImport,
  IconFilePlus,
  IconFlask2,
  IconHistory,
  IconMoon,
  IconPlayerPlay,
  IconPlus,
  IconServer2,
  IconSun,
  IconSunMoon,
  IconTool,
  IconUser,
  IconUsers,
  type TablerIcon,
} from '@tabler/icons-react';

/** An action, by its name in the reader's language and in English: people remember either. */
export interface PaletteAction {
  label: string;
  english: string;
  Icon: TablerIcon;
  to?: string;
  scheme?: MantineColorScheme;
}

interface Roles {
  experimenter: boolean;
  administrator: boolean;
}

/** What a person may do from everywhere. */
export function actionsFor({ experimenter, administrator }: Roles): PaletteAction[] {
  return [...(experimenter ? making() : []), ...pages(), ...(administrator ? governing() : []), ...schemes()];
}

const making = (): PaletteAction[] => [
  { label: t`New experiment`, english: 'new experiment recipe', Icon: IconPlus, to: '/experiments/new' },
  {
    label: t`Compare two nginx.conf files`,
    english: 'compare two nginx.conf own configuration',
    Icon: IconFileImport,
    to: '/experiments/new/own',
  },
  {
    label: t`Design from scratch`,
    english: 'design from scratch',
    Icon: IconTool,
    to: '/experiments/new/blank',
  },
  {
    label: t`Import an experiment from YAML`,
    english: 'import yaml',
    Icon: IconFilePlus,
    to: '/experiments/new/blank?import=1',
  },
];

const pages = (): PaletteAction[] => [
  { label: t`Go to experiments`, english: 'go to experiments', Icon: IconFlask2, to: '/experiments' },
  { label: t`Go to runs`, english: 'go to runs history', Icon: IconPlayerPlay, to: '/runs' },
  { label: t`Go to hosts`, english: 'go to hosts add host', Icon: IconServer2, to: '/hosts' },
  { label: t`Compare runs`, english: 'compare runs', Icon: IconArrowsDiff, to: '/compare' },
  {
    label: t`Account and notifications`,
    english: 'account notifications tokens',
    Icon: IconUser,
    to: '/account',
  },
];

const governing = (): PaletteAction[] => [
  { label: t`Go to people`, english: 'go to people invite', Icon: IconUsers, to: '/people' },
  { label: t`Go to storage`, english: 'go to storage', Icon: IconDatabase, to: '/storage' },
  { label: t`Go to the audit log`, english: 'go to audit log', Icon: IconHistory, to: '/audit' },
];

const schemes = (): PaletteAction[] => [
  { label: t`Light colours`, english: 'light colours theme', Icon: IconSun, scheme: 'light' },
  { label: t`Dark colours`, english: 'dark colours theme', Icon: IconMoon, scheme: 'dark' },
  { label: t`Colours of the system`, english: 'auto colours theme', Icon: IconSunMoon, scheme: 'auto' },
];
