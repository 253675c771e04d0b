import { ActionIcon, Button, CopyButton as Copy, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';

/** Copies a text. With a label it is a button, without one an icon named after `what`. */
export function CopyButton({ value, what, label }: { value: string; what: string; label?: string }) {
  return (
    <Copy value={value} timeout={1500}>
      {({ copied, copy }) => {
        const icon = copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />;
        return label === undefined ? (
          <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
            <ActionIcon variant="subtle" color="gray" size="sm" aria-label={copied ? `Copied ${what}` : `Copy ${what}`} onClick={copy}>
              {icon}
            </ActionIcon>
          </Tooltip>
        ) : (
          <Button variant="default" leftSection={icon} onClick={copy}>
            <span aria-live="polite">{copied ? 'Copied' : label}</span>
          </Button>
        );
      }}
    </Copy>
  );
}
