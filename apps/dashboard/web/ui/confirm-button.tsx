import { Button, type ButtonProps, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';

interface Props extends ButtonProps {
  label: string;
  /** Read out instead of the label, where several buttons have the same one. */
  name?: string;
  title: string;
  /** What happens, before it does. */
  children: ReactNode;
  confirm: string;
  onConfirm: () => Promise<unknown>;
}

/** A button whose deed can't be taken back: it asks first. */
export function ConfirmButton({ label, name, title, children, confirm, onConfirm, ...button }: Props) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const [isBusy, busy] = useDisclosure(false);
  const act = async () => {
    busy.open();
    try {
      await onConfirm();
      close();
    } catch {
      // Said by the mutation that failed; the question stays open.
    } finally {
      busy.close();
    }
  };
  return (
    <>
      <Button variant="default" size="xs" {...button} aria-label={name} onClick={open}>
        {label}
      </Button>
      <Modal opened={isOpen} onClose={close} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
        <Stack>
          <Text component="div">{children}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={close} data-autofocus>
              Cancel
            </Button>
            <Button color="red" loading={isBusy} onClick={() => void act()}>
              {confirm}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
