import { addressKey, domainOf } from '@overheard/providers/answer/addresses';
import { Text, Tooltip, Typography, VisuallyHidden } from '@mantine/core';
import { createContext, type ReactNode, useContext, useId, useRef, useState } from 'react';
import Markdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { OutsideLink } from '../ui/outside-link';
import classes from './answer.module.css';
import type { Answer, Pill, Source } from './result';
import { SourceList } from './source-list';

interface Citations {
  sourceOf: (url: string) => Source | undefined;
  /** To the source at that position, from a pill. */
  follow: (position: number, from: HTMLElement) => void;
}

const Citing = createContext<Citations>({ sourceOf: () => undefined, follow: () => undefined });

const LINK = /\]\(<?([^)>\s]+)/g;

/**
 * An answer's words with its citations as pills, and the sources that they lead to. They stand where Markdown links
 * to sources; a text without such links has them in a row after it. HTML inside an answer is shown as text.
 */
export function Prose({ answer }: { answer: Answer }) {
  const { text = '', markdown, sources = [], citationPills = [] } = answer;
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<number>();
  /** The pill that was followed, so that the reader finds back. */
  const left = useRef<HTMLElement>(undefined);
  const bySite = new Map(sources.map((source) => [addressKey(source.url), source]));
  const hasMarks = [...(markdown ?? '').matchAll(LINK)].some(([, href = '']) => bySite.has(addressKey(href)));

  const follow = (position: number, from: HTMLElement) => {
    left.current = from;
    setChosen(position);
    const entry = list.current?.querySelector<HTMLElement>(`[data-position="${position}"]`);
    entry?.scrollIntoView({ block: 'nearest' });
    entry?.focus();
  };
  return (
    <Citing value={{ sourceOf: (url) => bySite.get(addressKey(url)), follow }}>
      <div className={sources.length > 0 ? classes.prose : undefined}>
        <div className={classes.words}>
          {markdown === undefined ? (
            <Text className={classes.plain}>{text}</Text>
          ) : (
            <Typography className={classes.markdown}>
              <Markdown remarkPlugins={[remarkGfm]} components={COMPONENTS}>
                {markdown}
              </Markdown>
            </Typography>
          )}
          {!hasMarks && citationPills.length > 0 && (
            <div className={classes.pills} role="group" aria-label="Citations in the order of the text">
              {citationPills.map((cited) => (
                <PillButton key={cited.citationPillId} source={sourceOf(cited, sources)}>
                  {domainOf(cited.url)}
                </PillButton>
              ))}
            </div>
          )}
        </div>
        {sources.length > 0 && (
          <SourceList
            ref={list}
            id={id}
            sources={sources}
            pills={citationPills}
            chosen={chosen}
            onBack={() => {
              setChosen(undefined);
              left.current?.focus();
            }}
          />
        )}
      </div>
    </Citing>
  );
}

/** A link of the text: to a source a pill, to anything else a link. */
function TextLink({ href = '', children }: { href?: string; children?: ReactNode }) {
  const source = useContext(Citing).sourceOf(href);
  return source ? <PillButton source={source}>{wordsOf(children)}</PillButton> : <OutsideLink url={href}>{children}</OutsideLink>;
}

/** Always the same ones, or each change would put new pills in the place of those that have the focus. Pictures would be asked of other sites: their words are enough. */
const COMPONENTS: Components = { a: TextLink, img: ({ alt }) => <em>{alt}</em> };

function PillButton({ source, children }: { source: Source; children: ReactNode }) {
  const { follow } = useContext(Citing);
  return (
    <Tooltip
      label={
        <>
          <strong>{source.label}</strong>
          <br />
          {domainOf(source.url)}
          {source.description && <span className="lines">{source.description}</span>}
        </>
      }
    >
      <button type="button" className={classes.pill} onClick={(event) => follow(source.position, event.currentTarget)}>
        {children}
        <VisuallyHidden>
          {' '}
          (source {source.position}: {source.label})
        </VisuallyHidden>
      </button>
    </Tooltip>
  );
}

/** What a mark says, without the brackets that some upstreams put around its number. */
const wordsOf = (children: ReactNode): ReactNode => (typeof children === 'string' ? children.replace(/^\[\^?(\d+)\^?\]$/, '$1') : children);

/** A pill names its source by position; one that misses it stands for itself. */
const sourceOf = (pill: Pill, sources: Source[]): Source =>
  sources.find(({ position }) => position === pill.position) ?? sources.find(({ url }) => url === pill.url) ?? pill;
