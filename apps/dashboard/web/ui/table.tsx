import { Skeleton, Table as MantineTable } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './table.module.css';

export interface Column<Row> {
  name: string;
  cell: (row: Row) => ReactNode;
  /** Numbers stand to the right. */
  numeric?: boolean;
  /** On narrow screens left out: a cell that stays says it too, or the page that the row leads to. */
  wideOnly?: boolean;
  width?: number | string;
  /** Takes what the others leave, and gives way first. */
  grows?: boolean;
  /** The heading is read out, not shown, as over buttons. */
  hiddenName?: boolean;
}

interface Props<Row> {
  label: string;
  columns: Column<Row>[];
  /** Undefined while they are on their way: then as many grey rows as are expected hold the place. */
  rows: Row[] | undefined;
  expected?: number;
  keyOf: (row: Row) => string;
  onOpen?: (row: Row) => void;
  /** What belongs to a row and stands beneath it. */
  detail?: (row: Row) => ReactNode;
}

/** A table that scrolls sideways inside its frame rather than with the page. */
export function Table<Row>({ label, columns, rows, expected = 5, keyOf, onOpen, detail }: Props<Row>) {
  const classOf = ({ numeric, wideOnly, grows }: Column<Row>) =>
    [numeric && classes.numeric, wideOnly && classes.wideOnly, grows && classes.grows].filter(Boolean).join(' ') || undefined;
  return (
    <div className={classes.scroll} role="group" aria-label={label} tabIndex={0} aria-busy={rows === undefined}>
      <MantineTable highlightOnHover={onOpen !== undefined} className={classes.table}>
        <MantineTable.Thead>
          <MantineTable.Tr>
            {columns.map((column) => (
              <MantineTable.Th key={column.name} className={classOf(column)} w={column.width} scope="col">
                <span className={column.hiddenName ? classes.hidden : undefined}>{column.name}</span>
              </MantineTable.Th>
            ))}
          </MantineTable.Tr>
        </MantineTable.Thead>
        <MantineTable.Tbody>
          {rows === undefined
            ? Array.from({ length: expected }, (_, index) => (
                <MantineTable.Tr key={index}>
                  {columns.map((column) => (
                    <MantineTable.Td key={column.name} className={classOf(column)}>
                      <Skeleton height={14} my={3} />
                    </MantineTable.Td>
                  ))}
                </MantineTable.Tr>
              ))
            : rows.flatMap((row) => {
                const more = detail?.(row);
                return [
                  <MantineTable.Tr key={keyOf(row)} className={onOpen && classes.opens} onClick={onOpen && (() => onOpen(row))}>
                    {columns.map((column) => (
                      <MantineTable.Td key={column.name} className={classOf(column)}>
                        {column.cell(row)}
                      </MantineTable.Td>
                    ))}
                  </MantineTable.Tr>,
                  more && (
                    <MantineTable.Tr key={`${keyOf(row)} more`} className={classes.more}>
                      <MantineTable.Td colSpan={columns.length}>{more}</MantineTable.Td>
                    </MantineTable.Tr>
                  ),
                ];
              })}
        </MantineTable.Tbody>
      </MantineTable>
    </div>
  );
}
