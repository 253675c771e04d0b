import { attribute, isBlock, isHidden, isTag, isText, type AnyNode, type Element, type LeaveOut } from './html.js';

export interface Rendering {
  /** Parts of the page that are no part of the text. */
  leaveOut: LeaveOut;
  /** Where a link leads; one that leads nowhere is only its text. */
  targetOf: (href: string) => string | undefined;
}

/** What an answer inside a page says, line by line, without any marks. */
export const plainTextOfHtml = (root: Element, rendering: Rendering): string => new Writer(rendering, plain).write(root);

/** The same in Markdown. */
export const markdownOfHtml = (root: Element, rendering: Rendering): string => new Writer(rendering, markdown).write(root);

/** How the parts of a text are marked. */
interface Marks {
  text(text: string): string;
  strong(text: string): string;
  emphasis(text: string): string;
  code(text: string): string;
  codeBlock(text: string): string;
  link(text: string, target: string): string;
  heading(text: string, level: number): string;
  bullet: string;
  indent: string;
  row(cells: string[]): string;
  /** What stands between a table's head and its body. */
  rule(columns: number): string[];
}

const same = (text: string) => text;

const plain: Marks = {
  text: same,
  strong: same,
  emphasis: same,
  code: same,
  codeBlock: same,
  link: same,
  heading: same,
  bullet: '',
  indent: '',
  row: (cells) => cells.join('\t'),
  rule: () => [],
};

const SPECIAL = /[\\`*_[\]<>|~]/g;

const markdown: Marks = {
  text: (text) => text.replace(SPECIAL, '\\$&'),
  strong: (text) => inside('**', text),
  emphasis: (text) => inside('*', text),
  code: (text) => `\`${text.replace(/\\([\\`*_[\]<>|~])/g, '$1')}\``,
  codeBlock: (text) => `\`\`\`\n${text}\n\`\`\``,
  link: (text, target) => `[${text}](${target})`,
  heading: (text, level) => `${'#'.repeat(level)} ${text.replace(/^\*\*([^*]+)\*\*$/, '$1')}`,
  bullet: '- ',
  indent: '  ',
  row: (cells) => `| ${cells.join(' | ')} |`,
  rule: (columns) => [`|${' --- |'.repeat(columns)}`],
};

class Writer {
  constructor(
    private readonly rendering: Rendering,
    private readonly marks: Marks,
  ) {}

  write = (root: Element): string => this.#blocks(root).join('\n\n');

  /** The blocks of an element; text that stands between blocks is one too. */
  #blocks(element: Element): string[] {
    const found: string[] = [];
    let run = '';
    const endRun = () => {
      if (tidy(run)) found.push(tidy(run));
      run = '';
    };
    for (const child of element.children) {
      if (this.#isOut(child)) continue;
      if (isTag(child) && isBlock(child)) {
        endRun();
        found.push(...this.#block(child));
      } else run += this.#inline(child);
    }
    endRun();
    return found;
  }

  #block(element: Element): string[] {
    const level = headingLevel(element);
    if (level) {
      const text = this.#blocks(element).join(' ');
      return text ? [this.marks.heading(text, level)] : [];
    }
    if (isList(element)) return this.#list(element);
    if (element.name === 'table') return this.#table(element);
    if (element.name === 'pre') return [this.marks.codeBlock(rawText(element).replace(/\n$/, ''))];
    return this.#blocks(element);
  }

  #list(list: Element): string[] {
    const { bullet, indent } = this.marks;
    let number = Number(attribute(list, 'start') ?? 1);
    const lines = this.#entries(list).flatMap((entry) => {
      const [head, ...rest] = isList(entry) ? this.#list(entry) : this.#blocks(entry);
      if (!head) return [];
      const mark = list.name === 'ol' ? `${number++}. ` : bullet;
      return [mark + head, ...rest.map((block) => block.replace(/^/gm, indent))].join('\n');
    });
    return lines.length ? [lines.join('\n')] : [];
  }

  /** The entries of a list, those in wrappers too. */
  #entries = (list: Element): Element[] =>
    list.children
      .filter(isTag)
      .flatMap((child) =>
        this.#isOut(child) ? [] : child.name === 'li' || isList(child) || !elementsNamed(child, 'li').length ? [child] : this.#entries(child),
      );

  #table(table: Element): string[] {
    const rows = elementsNamed(table, 'tr').map((row) => row.children.filter(isTag).filter((cell) => /^t[dh]$/.test(cell.name) && !this.#isOut(cell)));
    const [head, ...body] = rows.map((cells) => cells.map((cell) => this.#blocks(cell).join(' ').replace(/\n/g, ' '))).filter((cells) => cells.some(Boolean));
    return head ? [[this.marks.row(head), ...this.marks.rule(head.length), ...body.map(this.marks.row)].join('\n')] : [];
  }

  #inline(node: AnyNode): string {
    if (isText(node)) return this.marks.text(node.data.replace(/\s+/g, ' '));
    if (!isTag(node) || this.#isOut(node)) return '';
    if (node.name === 'br') return ' ';
    const text = node.children.map((child) => this.#inline(child)).join('');
    if (headingLevel(node) || /^(?:b|strong)$/.test(node.name)) return this.marks.strong(text);
    if (/^(?:i|em)$/.test(node.name)) return this.marks.emphasis(text);
    if (node.name === 'code') return this.marks.code(text);
    const target = node.name === 'a' && tidy(text) && this.rendering.targetOf(attribute(node, 'href') ?? '');
    return target ? this.marks.link(tidy(text), target) : text;
  }

  #isOut = (node: AnyNode): boolean => isTag(node) && (isHidden(node) || this.rendering.leaveOut(node));
}

const isList = ({ name }: Element): boolean => name === 'ul' || name === 'ol';

function headingLevel({ name, attribs }: Element): number | undefined {
  if (/^h[1-6]$/.test(name)) return Number(name[1]);
  return attribs.role === 'heading' ? Math.min(6, Number(attribs['aria-level']) || 2) : undefined;
}

const rawText = (node: AnyNode): string => (isText(node) ? node.data : isTag(node) ? node.children.map(rawText).join('') : '');

const elementsNamed = (element: Element, name: string): Element[] =>
  element.children.filter(isTag).flatMap((child) => (child.name === name ? [child] : elementsNamed(child, name)));

const tidy = (text: string): string =>
  text
    .replace(/[\u200b\u200e\u200f\ufeff]/g, '')
    .replace(/[\s\u00a0]+/g, ' ')
    .replace(/ ([.,;:!?])(?=\s|$)/g, '$1')
    .trim();

/** A mark around a text, the blanks at its ends outside. */
const inside = (mark: string, text: string): string =>
  text.replace(/^(\s*)(.*?)(\s*)$/s, (_all, before: string, inner: string, after: string) => (inner ? before + mark + inner + mark + after : text));
