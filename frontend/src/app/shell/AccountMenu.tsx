import { Menu, UnstyledButton } from '@mantine/core';
import { IconLogout, IconSelector, IconUser } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { unwrap } from '@/api/client';
import { logout } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';
import { useMe } from '@/api/useMe';
import { ColorSchemeControl } from '@/components/ui/ColorSchemeControl';
import classes from './shell.module.css';

export function AccountMenu() {
  const { data: me } = useMe();
  const queryClient = useQueryClient();
  const signOut = useMutation({
    mutationFn: () => unwrap(logout({ throwOnError: true })),
    onSuccess: () => {
      // The shell watches who is signed in: that entry changes, all others go.
      queryClient.setQueryData(queryKeys.me, null);
      queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== queryKeys.me[0] });
    },
  });
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
        <Menu.Label>Appearance</Menu.Label>
        <div style={{ padding: '0 8px 8px' }}>
          <ColorSchemeControl />
        </div>
        <Menu.Divider />
        <Menu.Item component={Link} to="/account" leftSection={<IconUser size={15} />}>
          Account
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={15} />} onClick={() => signOut.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
