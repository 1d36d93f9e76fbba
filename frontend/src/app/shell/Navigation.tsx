import { IconFlask2, IconPlayerPlay, IconServer2, IconUsers } from '@tabler/icons-react';
import { NavLink } from 'react-router';
import { useHasRole } from '@/api/useMe';
import classes from './shell.module.css';

const PEOPLE = { to: '/people', label: 'People', Icon: IconUsers };
const ITEMS = [
  { to: '/experiments', label: 'Experiments', Icon: IconFlask2 },
  { to: '/runs', label: 'Runs', Icon: IconPlayerPlay },
  { to: '/hosts', label: 'Hosts', Icon: IconServer2 },
];

export function Navigation() {
  const isAdministrator = useHasRole('administrator');
  const items = isAdministrator ? [...ITEMS, PEOPLE] : ITEMS;
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
