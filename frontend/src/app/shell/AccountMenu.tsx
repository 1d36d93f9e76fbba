import { type MantineColorScheme, Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { IconApi, IconLogout, IconSelector, IconUser } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useMe } from '@/api/useMe';
import { COLOR_SCHEMES } from '@/components/ui/ColorSchemeControl';
import classes from './shell.module.css';
import { useLogout } from './useLogout';

function ColorSchemes() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu.RadioGroup value={colorScheme} onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}>
      {COLOR_SCHEMES.map(({ value, label }) => (
        <Menu.RadioItem key={value} value={value} closeMenuOnClick={false}>
          {label}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}

export function AccountMenu() {
  const { data: me } = useMe();
  const signOut = useLogout();
  return (
    <Menu position="top-start" width={216} shadow="md">
      <Menu.Target>
        <UnstyledButton className={classes.account} aria-label="Account and appearance">
          <span className={classes.avatar} aria-hidden>
            {me?.account.email.slice(0, 1).toUpperCase()}
          </span>
          <span className={classes.accountText}>
            <span>{me?.account.email}</span>
            <small>{me?.account.role}</small>
          </span>
          <IconSelector size={14} aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Colour scheme</Menu.Label>
        <ColorSchemes />
        <Menu.Divider />
        <Menu.Item component={Link} to="/account" leftSection={<IconUser size={15} />}>
          Account
        </Menu.Item>
        <Menu.Item component={Link} to="/api-docs" leftSection={<IconApi size={15} />}>
          API
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={15} />} onClick={() => signOut.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
