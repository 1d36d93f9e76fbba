import { t } from '@lingui/core/macro';
import {
  IconDatabase,
  IconFlask2,
  IconHistory,
  IconPlayerPlay,
  IconServer2,
  IconUsers,
} from '@tabler/icons-react';
import { NavLink } from 'react-router';
import { useHasRole } from '@/api/useMe';
import classes from './shell.module.css';

const forAll = () => [
  { to: '/experiments', label: t`Experiments`, Icon: IconFlask2 },
  { to: '/runs', label: t`Runs`, Icon: IconPlayerPlay },
  { to: '/hosts', label: t`Hosts`, Icon: IconServer2 },
];
const forAdministrators = () => [
  { to: '/people', label: t`People`, Icon: IconUsers },
  { to: '/storage', label: t`Storage`, Icon: IconDatabase },
  { to: '/audit', label: t`Audit log`, Icon: IconHistory },
];

export function Navigation() {
  const isAdministrator = useHasRole('administrator');
  const items = isAdministrator ? [...forAll(), ...forAdministrators()] : forAll();
  return (
    <nav aria-label={t`Main`} className={classes.nav}>
      {items.map(({ to, label, Icon }) => (
        <NavLink key={to} to={to} className={classes.navItem}>
          <Icon size={16} stroke={1.6} aria-hidden />
          {label}
        </NavLink>
      ))}
    </nav>
  );
}
