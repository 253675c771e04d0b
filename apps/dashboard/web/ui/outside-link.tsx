import { Anchor, VisuallyHidden } from '@mantine/core';
import { isWebAddress } from '@overheard/providers/answer/addresses';
import type { ReactNode } from 'react';

/** A link to a page elsewhere, in a tab of its own that learns nothing of where it was opened. An address that is none of the web's is only text. */
export function OutsideLink({ url, children }: { url: string | undefined; children: ReactNode }) {
  if (url === undefined || !isWebAddress(url)) return children;
  return (
    <Anchor href={url} target="_blank" rel="noopener noreferrer nofollow" inherit>
      {children}
      <VisuallyHidden> (opens in a new tab)</VisuallyHidden>
    </Anchor>
  );
}
