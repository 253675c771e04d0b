import { Button, Menu, Text } from '@mantine/core';
import { IconCheck, IconSelector } from '@tabler/icons-react';
import { useNavigate } from 'react-router';
import { useAccountSwitch, useSession } from './session';

/** Whose requests, keys and credits the pages show. */
export function AccountSwitch() {
  const { account, accounts } = useSession();
  const change = useAccountSwitch();
  const navigate = useNavigate();
  if (accounts.length < 2) {
    return (
      <Text fw={500} className="line" title="Account">
        {account.name}
      </Text>
    );
  }
  return (
    <Menu position="bottom-start" width={260}>
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          miw={0}
          rightSection={<IconSelector size={14} aria-hidden />}
          aria-label={`Account ${account.name}: change`}
          loading={change.isPending}
        >
          <span className="line">{account.name}</span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Accounts</Menu.Label>
        {accounts.map(({ id, name, role }) => (
          <Menu.Item
            key={id}
            onClick={() => {
              // What is open may belong to the account that is left.
              void navigate('/requests');
              change.mutate({ accountId: id });
            }}
            rightSection={id === account.id && <IconCheck size={14} aria-label="chosen" />}
          >
            {name}{' '}
            <Text span c="dimmed" size="xs">
              {role}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
