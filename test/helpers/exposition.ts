/** One line of an exposition. */
interface Line {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What a scrape said, read strictly by the text format 0.0.4. */
interface Exposition {
  /** Undefined where there is no such line. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
  /** All lines of a name by their labels: `state=held,x=y`. */
  all(name: string): Readonly<Record<string, number>>;
  names(): readonly string[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
const SUFFIX = /_(bucket|sum|count)$/;

/**
 * Throws at anything a scraper would refuse: a line before its TYPE, a family that comes twice, a
 * series that comes twice, an open label, a value that is no number.
 */
export function readExposition(text: string): Exposition {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const types = new Map<string, string>();
  const lines: Line[] = [];
  const seen = new Set<string>();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('# HELP ')) continue;
    if (line.startsWith('# TYPE ')) {
      const [, , name = '', type = ''] = line.split(' ');
      if (types.has(name)) throw new Error(`${name} is described twice`);
      if (!['counter', 'gauge', 'histogram'].includes(type)) throw new Error(`type ${type}`);
      types.set(name, type);
      continue;
    }
    const read = readLine(line);
    if (!types.has(read.name) && types.get(read.name.replace(SUFFIX, '')) !== 'histogram')
      throw new Error(`${read.name} has no type`);
    const key = `${read.name} ${keyOf(read.labels)}`;
    if (seen.has(key)) throw new Error(`${key} comes twice`);
    seen.add(key);
    lines.push(read);
  }
  return {
    value: (name, labels = {}) =>
      lines.find((line) => line.name === name && keyOf(line.labels) === keyOf(labels))?.value,
    all: (name) =>
      Object.fromEntries(
        lines
          .filter((line) => line.name === name)
          .map(({ labels, value }) => [
            Object.entries(labels)
              .map(([label, text_]) => `${label}=${text_}`)
              .join(','),
            value,
          ]),
      ),
    names: () => [...new Set(lines.map(({ name }) => name))],
  };
}

const keyOf = (labels: Readonly<Record<string, string>>): string =>
  JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => a.localeCompare(b)));

function readLine(line: string): Line {
  const name = NAME.exec(line)?.[0];
  if (name === undefined) throw new Error(`no name: ${line}`);
  let rest = line.slice(name.length);
  const labels: Record<string, string> = {};
  if (rest.startsWith('{')) {
    rest = rest.slice(1);
    while (!rest.startsWith('}')) {
      const found = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)",?/.exec(rest);
      if (found === null) throw new Error(`a broken label: ${line}`);
      labels[found[1] ?? ''] = (found[2] ?? '').replace(/\\(.)/g, (_, c: string) =>
        c === 'n' ? '\n' : c,
      );
      rest = rest.slice(found[0].length);
    }
    rest = rest.slice(1);
  }
  const value = Number(rest.trim());
  if (!/^ \S+$/.test(rest) || Number.isNaN(value)) throw new Error(`no value: ${line}`);
  return { name, labels, value };
}
