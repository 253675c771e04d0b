import { Badge } from '@mantine/core';
import type { Upstream } from '../../src/api';

const WORDS = {
  live: { color: 'green', word: 'live', title: 'The real upstream answers.' },
  sandbox: { color: 'violet', word: 'sandbox', title: 'A stand-in answers with made-up texts.' },
  none: { color: 'red', word: 'no credentials', title: 'Its tasks fail at once, free.' },
};

/** Who answers for a provider. */
export const UpstreamBadge = ({ upstream }: { upstream: Upstream | null }) =>
  upstream === null ? (
    <Badge size="sm" color="gray">
      not served
    </Badge>
  ) : (
    <Badge size="sm" color={WORDS[upstream].color} title={WORDS[upstream].title}>
      {WORDS[upstream].word}
    </Badge>
  );
