import { Button } from '@mantine/core';
import { useState } from 'react';
import classes from './json-tree.module.css';

const SHOWN_AT_ONCE = 100;
const TEXT_MAX = 400;

/** JSON that opens level by level, so that a large one is no burden; `open` says how many levels are to begin with. */
export function JsonTree({ value, open = 2 }: { value: unknown; open?: number }) {
  return (
    <div className={classes.tree}>
      <Node value={value} open={open} />
    </div>
  );
}

function Node({ name, value, open }: { name?: string; value: unknown; open: number }) {
  if (typeof value !== 'object' || value === null) {
    return (
      <div className={classes.leaf}>
        <Name name={name} />
        <Scalar value={value as string | number | boolean | null | undefined} />
      </div>
    );
  }
  return <Branch name={name} value={value} open={open} />;
}

function Branch({ name, value, open }: { name?: string; value: object; open: number }) {
  const [isOpen, setOpen] = useState(open > 0);
  const [shown, setShown] = useState(SHOWN_AT_ONCE);
  const entries = Object.entries(value);
  const isList = Array.isArray(value);
  const count = isList ? `[${entries.length}]` : `{${entries.length}}`;
  if (entries.length === 0) {
    return (
      <div className={classes.leaf}>
        <Name name={name} />
        <span className={classes.count}>{isList ? '[]' : '{}'}</span>
      </div>
    );
  }
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Name name={name} />
        <span className={classes.count}>{count}</span>
        {!isOpen && <span className={classes.hint}>{hintOf(value)}</span>}
      </summary>
      {isOpen && (
        <div className={classes.children}>
          {entries.slice(0, shown).map(([key, inner]) => (
            <Node key={key} name={key} value={inner} open={open - 1} />
          ))}
          {entries.length > shown && (
            <Button size="compact-xs" variant="default" onClick={() => setShown(shown + SHOWN_AT_ONCE * 5)}>
              Show {Math.min(entries.length - shown, SHOWN_AT_ONCE * 5)} more
            </Button>
          )}
        </div>
      )}
    </details>
  );
}

const Name = ({ name }: { name?: string }) => name !== undefined && <span className={classes.name}>{name}: </span>;

function Scalar({ value }: { value: string | number | boolean | null | undefined }) {
  const [isWhole, setWhole] = useState(false);
  if (typeof value !== 'string') return <span className={classes.scalar}>{String(value)}</span>;
  if (value.length <= TEXT_MAX || isWhole) return <span className={classes.text}>{JSON.stringify(value)}</span>;
  return (
    <>
      <span className={classes.text}>{JSON.stringify(value.slice(0, TEXT_MAX))}…</span>{' '}
      <Button size="compact-xs" variant="default" onClick={() => setWhole(true)}>
        Show all {value.length} characters
      </Button>
    </>
  );
}

/** What tells closed entries of a list apart. */
function hintOf(value: object): string {
  const names = ['type', 'title', 'label', 'name', 'question', 'id'] as const;
  const found = names.map((name) => (value as Record<string, unknown>)[name]).find((hint) => typeof hint === 'string');
  return typeof found === 'string' ? ` ${found.slice(0, 60)}` : '';
}
