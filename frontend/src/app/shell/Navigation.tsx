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

const ITEMS = [
  { to: '/experiments', label: 'Experiments', Icon: IconFlask2 },
  { to: '/runs', label: 'Runs', Icon: IconPlayerPlay },
  { to: '/hosts', label: 'Hosts', Icon: IconServer2 },
];
const PEOPLE = { to: '/people', label: 'People', Icon: IconUsers };
const STORAGE = { to: '/storage', label: 'Storage', Icon: IconDatabase };
const AUDIT_LOG = { to: '/audit', label: 'Audit log', Icon: IconHistory };

export function Navigation() {
  const isAdministrator = useHasRole('administrator');
  const items = isAdministrator ? [...ITEMS, PEOPLE, STORAGE, AUDIT_LOG] : ITEMS;
  return (
    <nav aria-label="Main" className={classes.nav}>
      {items.map(({ to, label, Icon }) => (
        <NavLink key={to} to={to} className={classes.navItem}>
          <Icon size={16} stroke={1.6} aria-hidden />
          {label}
        </NavLink>
      ))}
    </nav>
  );
}
