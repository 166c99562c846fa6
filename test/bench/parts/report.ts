/** Collects figures, prints them as a table and writes them as JSON. */
import fs from 'node:fs';
import path from 'node:path';

export interface Figure {
  readonly name: string;
  /** Undefined where it could not be measured here; `note` says why. */
  readonly value: number | undefined;
  readonly unit: string;
  readonly budget?: { readonly sense: '<=' | '>='; readonly limit: number };
  readonly note?: string;
}

export interface Report {
  add(section: string, ...figures: readonly Figure[]): void;
  write(file: string): void;
}

const shown = (value: number): string =>
  Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(Math.abs(value) >= 10 ? 1 : 3);

const verdict = ({ value, budget }: Figure): string => {
  if (budget === undefined) return '';
  if (value === undefined || Number.isNaN(value)) return '?';
  const holds = budget.sense === '<=' ? value <= budget.limit : value >= budget.limit;
  return holds ? 'holds' : 'MISSED';
};

/** Sections are printed as they come, so that a long run shows where it is. */
export function createReport(print: (line: string) => void): Report {
  const sections = new Map<string, Figure[]>();
  return {
    add(section, ...figures) {
      if (!sections.has(section)) print(`\n${section}`);
      sections.set(section, [...(sections.get(section) ?? []), ...figures]);
      for (const figure of figures) {
        const value = figure.value === undefined ? 'not measured' : shown(figure.value);
        const budget =
          figure.budget === undefined
            ? ''
            : `${figure.budget.sense} ${String(figure.budget.limit)}  ${verdict(figure)}`;
        print(
          `  ${figure.name.padEnd(46)} ${value.padStart(12)} ${figure.unit.padEnd(9)} ${budget.padEnd(18)} ${figure.note ?? ''}`.trimEnd(),
        );
      }
    },
    write(file) {
      const rows = [...sections].flatMap(([section, figures]) =>
        figures.map((figure) => ({ section, ...figure, verdict: verdict(figure) })),
      );
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, `${JSON.stringify({ figures: rows }, null, 2)}\n`);
    },
  };
}
