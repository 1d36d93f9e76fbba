import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Drawer, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ModalsProvider } from '@mantine/modals';
import { useNotifications } from '@mantine/notifications';
import {
  IconDatabase,
  IconFlask2,
  IconHistory,
  IconMenu2,
  IconPlayerPlay,
  IconServer2,
  IconUsers,
} from '@tabler/icons-react';
import { Suspense, useEffect, useRef } from 'react';
import {
  Link,
  type Location,
  Navigate,
  NavLink,
  Outlet,
  ScrollRestoration,
  useLocation,
  useNavigation,
} from 'react-router';
import { firstStep, useHasRole, useMe } from '@/api/session';
import { Logo } from '@/components/Logo';
import { PageFooter } from '@/components/PageFooter';
import { ReleaseNotice } from '@/components/ReleaseNotice';
import { lazyPart } from '@/components/ui/lazyPart';
import { AccountMenu } from './AccountMenu';
import { PaletteButton, PaletteIcon, usePalette } from './PaletteOpener';
import { RehearsalNotice } from './RehearsalNotice';
import { SessionEnded } from './SessionEnded';
import { SystemNotice } from './SystemNotice';
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

function Navigation() {
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

const NotificationList = lazyPart(() =>
  import('./NotificationList').then(({ NotificationList }) => NotificationList),
);

/** Their code comes with the first one. */
function Notifications() {
  const { notifications } = useNotifications();
  const wasNeeded = useRef(false);
  wasNeeded.current ||= notifications.length > 0;
  return (
    <Suspense fallback={null}>{wasNeeded.current && <NotificationList position="bottom-right" />}</Suspense>
  );
}

/** Where a new page begins for screen readers and the keyboard, too. The first page keeps its natural focus. */
function useFocusOnNewPage(close: () => void) {
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const lastPath = useRef(pathname);
  useEffect(() => {
    if (lastPath.current === pathname) return;
    lastPath.current = pathname;
    close();
    main.current?.focus({ preventScroll: true });
  }, [pathname, close]);
  return main;
}

interface TopBarProps {
  isOpen: boolean;
  open: () => void;
  close: () => void;
  onFind: () => void;
}

/** On narrow screens: a bar, and a drawer with the same navigation. */
function TopBar({ isOpen, open, close, onFind }: TopBarProps) {
  return (
    <>
      <aside className={`${classes.topbar} no-print`} aria-label="ngxlab">
        <ActionIcon size="md" aria-label={t`Open navigation`} onClick={open}>
          <IconMenu2 size={18} />
        </ActionIcon>
        <Link to="/experiments" className={classes.brand}>
          <Logo />
        </Link>
        <PaletteIcon onOpen={onFind} />
      </aside>
      <Drawer opened={isOpen} onClose={close} size={248} title={<Logo />} padding="md">
        <Navigation />
        <AccountMenu />
      </Drawer>
    </>
  );
}

function Sidebar({ onFind }: { onFind: () => void }) {
  return (
    <aside className={`${classes.sidebar} no-print`}>
      <Link to="/experiments" className={classes.brand} aria-label={t`ngxlab, experiments`}>
        <Logo />
      </Link>
      <PaletteButton onOpen={onFind} />
      <Navigation />
      <Group mt="auto" gap={4}>
        <AccountMenu />
      </Group>
    </aside>
  );
}

/** The address of the sign-in page for a visitor who is not signed in; `null` for others. */
function useWayToSignIn(): string | null {
  const { data: me } = useMe();
  const { pathname, search, hash } = useLocation();
  const next = `next=${encodeURIComponent(pathname + search + hash)}`;
  const page = me === null ? '/login' : firstStep(me);
  return page && `${page}?${next}`;
}

function Frame() {
  const isLoading = useNavigation().state !== 'idle';
  const [isOpen, { open, close }] = useDisclosure(false);
  const main = useFocusOnNewPage(close);
  const { open: find, palette } = usePalette();
  return (
    <div className={classes.shell}>
      <a href="#main" className="skip-link">
        <Trans>Skip to content</Trans>
      </a>
      <TopBar isOpen={isOpen} open={open} close={close} onFind={find} />
      <Sidebar onFind={find} />
      {palette}
      <main id="main" ref={main} tabIndex={-1} className={classes.main} aria-busy={isLoading}>
        <div className={classes.loadingBar} data-active={isLoading || undefined} />
        <RehearsalNotice />
        <SystemNotice />
        <ReleaseNotice />
        <Outlet />
        <PageFooter />
      </main>
      <ScrollRestoration getKey={scrollKey} />
    </div>
  );
}

/** Pages that are opened by their address have no key of their own: one must not begin where another was left. */
const scrollKey = ({ key, pathname }: Location) => (key === 'default' ? pathname : key);

/** Navigation around every page of a signed-in person, and what opens above the pages: pages without it have no dialogs. */
export function Shell() {
  const { data: me } = useMe();
  const signIn = useWayToSignIn();
  if (signIn) return <Navigate to={signIn} replace />;
  return (
    <>
      {me && <SessionEnded me={me} />}
      {/* Whoever signs in as somebody else finds nothing of who was here before. */}
      <ModalsProvider key={me?.account.id}>
        <Frame />
      </ModalsProvider>
      <Notifications />
    </>
  );
}
