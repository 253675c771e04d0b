import { Alert, Button, Code, Group, Modal, Stack } from '@mantine/core';
import { CopyButton } from './copy-button';

interface Props {
  title: string;
  /** The secret; the window is open while there is one. */
  secret: string | undefined;
  what: string;
  onClose: () => void;
}

/** Shows a secret the only time it can be shown. It closes by its button alone, never by a slip. */
export function SecretOnce({ title, secret, what, onClose }: Props) {
  return (
    <Modal opened={secret !== undefined} onClose={onClose} title={title} closeOnClickOutside={false} closeOnEscape={false} withCloseButton={false}>
      <Stack>
        <Alert color="yellow">Copy the {what} now and keep it safe. It is not stored in a readable form and can’t be shown again.</Alert>
        <Code block className="break" style={{ whiteSpace: 'pre-wrap' }} data-testid="secret">
          {secret}
        </Code>
        <Group justify="flex-end">
          <CopyButton value={secret ?? ''} what={what} label="Copy" />
          <Button onClick={onClose}>I have stored it</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
