import { ActionIcon, Drawer, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconMenu2 } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { Link, Navigate, Outlet, ScrollRestoration, useLocation, useNavigation } from 'react-router';
import { useMe } from '@/api/useMe';
import { Logo } from '@/components/brand/Logo';
import { AccountMenu } from './AccountMenu';
import { Navigation } from './Navigation';
import classes from './shell.module.css';

/** Navigation around every page of a signed-in person. */
export function Shell() {
  const { data: me } = useMe();
  const location = useLocation();
  const navigation = useNavigation();
  const [menuOpen, menu] = useDisclosure(false);
  const main = useRef<HTMLElement>(null);
  const { close } = menu;

  // A new page starts at its top for screen readers and the keyboard, too. The first page keeps its natural focus.
  const lastPath = useRef(location.pathname);
  useEffect(() => {
    if (lastPath.current === location.pathname) return;
    lastPath.current = location.pathname;
    close();
    main.current?.focus({ preventScroll: true });
  }, [location.pathname, close]);

  if (me === null)
    return <Navigate to={`/login?next=${encodeURIComponent(location.pathname + location.search)}`} replace />;
  return (
    <div className={classes.shell}>
      <a href="#main" className="skip-link">
        Skip to content
      </a>
      <header className={`${classes.topbar} no-print`}>
        <ActionIcon variant="subtle" color="gray" aria-label="Open navigation" onClick={menu.open}>
          <IconMenu2 size={18} />
        </ActionIcon>
        <Link to="/experiments" className={classes.brand}>
          <Logo />
        </Link>
      </header>
      <Drawer opened={menuOpen} onClose={menu.close} size={248} title={<Logo />} padding="md">
        <Navigation />
        <AccountMenu />
      </Drawer>
      <aside className={`${classes.sidebar} no-print`}>
        <Link to="/experiments" className={classes.brand} aria-label="ngxlab, experiments">
          <Logo />
        </Link>
        <Navigation />
        <Group mt="auto" gap={4}>
          <AccountMenu />
        </Group>
      </aside>
      <main
        id="main"
        ref={main}
        tabIndex={-1}
        className={classes.main}
        aria-busy={navigation.state !== 'idle'}
      >
        <div className={classes.loadingBar} data-active={navigation.state !== 'idle' || undefined} />
        <Outlet />
      </main>
      <ScrollRestoration />
    </div>
  );
}
