import { ActionIcon, Menu, Text } from '@mantine/core';
import { IconLock, IconLogout, IconUserCircle } from '@tabler/icons-react';
import { useNavigate } from 'react-router';
import { useLogout, useSession } from './session';

const ROLES = { owner: 'Owner', member: 'Member', viewer: 'Viewer: may look, not act' };

export function PersonMenu() {
  const { person, role } = useSession();
  const navigate = useNavigate();
  const logout = useLogout();
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Logged in as ${person.email}`}>
          <IconUserCircle size={20} stroke={1.6} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text fw={500} className="line" c="var(--mantine-color-text)">
            {person.email}
          </Text>
          {ROLES[role]}
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLock size={16} stroke={1.6} aria-hidden />} onClick={() => void navigate('/password')}>
          Change password
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} stroke={1.6} aria-hidden />} onClick={() => logout.mutate({})}>
          Log out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
