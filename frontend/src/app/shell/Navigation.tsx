import { IconFlask2, IconPlayerPlay, IconServer2 } from '@tabler/icons-react';
import { NavLink } from 'react-router';
import classes from './shell.module.css';

const ITEMS = [
  { to: '/experiments', label: 'Experiments', Icon: IconFlask2 },
  { to: '/runs', label: 'Runs', Icon: IconPlayerPlay },
  { to: '/hosts', label: 'Hosts', Icon: IconServer2 },
];

export function Navigation() {
  return (
    <nav aria-label="Main" className={classes.nav}>
      {ITEMS.map(({ to, label, Icon }) => (
        <NavLink key={to} to={to} className={classes.navItem}>
          <Icon size={16} stroke={1.6} aria-hidden />
          {label}
        </NavLink>
      ))}
    </nav>
  );
}
