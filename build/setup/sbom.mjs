// What is inside a release, as CycloneDX: the packages that run, those that the pages are built from,
// and the runtime around them.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { inProject, wholeOutputOf } from './machine.mjs';

/**
 * @typedef {{'bom-ref'?: string, type: string, name: string, version?: string, purl?: string,
 *   properties?: {name: string}[]}} Component
 * @typedef {{ref: string, dependsOn?: string[]}} Dependency
 * @typedef {{serialNumber?: string, metadata?: {timestamp?: string, component?: Component},
 *   components?: Component[], dependencies?: Dependency[]}} Bom
 */

/** @param {readonly string[]} starts @param {readonly Dependency[]} graph */
const reachableFrom = (starts, graph) => {
  const next = new Map(graph.map(({ ref, dependsOn = [] }) => [ref, dependsOn]));
  const found = new Set(starts);
  for (const ref of found) for (const one of next.get(ref) ?? []) found.add(one);
  return found;
};

/**
 * The same build gives the same file: no random number, no time of its own. Of the packages that are
 * only for development those stay that the pages import.
 *
 * @param {Bom} bom everything, as npm writes it
 * @param {{seconds: number, electron: string, pages: ReadonlySet<string>}} facts `pages`: names of
 *   packages that the pages import
 */
export const releaseBom = (bom, { seconds, electron, pages }) => {
  const { serialNumber: _random, components = [], dependencies = [], ...rest } = bom;
  const starts = components
    .filter(({ name }) => pages.has(name))
    .map((one) => one['bom-ref'] ?? '');
  const inPages = reachableFrom(starts, dependencies);
  // npm's own --omit=dev leaves out what a tool needs, too.
  const isForDevelopment = (/** @type {Component} */ { properties = [] }) =>
    properties.some(({ name }) => name === 'cdx:npm:package:development');
  const shipped = components.filter(
    (one) => !isForDevelopment(one) || inPages.has(one['bom-ref'] ?? ''),
  );
  const refs = new Set(shipped.map((one) => one['bom-ref'] ?? ''));
  return {
    ...rest,
    metadata: {
      ...bom.metadata,
      timestamp: new Date(seconds * 1000).toISOString(),
      // npm names it after the folder.
      ...(bom.metadata?.component
        ? { component: { ...bom.metadata.component, name: 'holdfast' } }
        : {}),
    },
    components: [
      ...shipped,
      {
        'bom-ref': `electron-runtime@${electron}`,
        type: 'framework',
        name: 'electron',
        version: electron,
        purl: `pkg:github/electron/electron@v${electron}`,
      },
    ],
    dependencies: dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn = [] }) => ({
        ref,
        dependsOn: dependsOn.filter((one) => refs.has(one)),
      })),
  };
};

/** Names of packages that the sources of a folder import. @param {string} folder */
const importedIn = (folder) => {
  /** @type {Set<string>} */
  const names = new Set();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.(tsx?|css)$/.test(name)) continue;
    const text = readFileSync(join(folder, name), 'utf8');
    for (const [, from = ''] of text.matchAll(
      /(?:from|import)\s*\(?\s*['"]((?:@[\w.-]+\/)?[a-z][\w.-]*)/g,
    ))
      names.add(from);
  }
  return names;
};

/** @param {{seconds: number, electron: string}} facts */
export const makeBom = ({ seconds, electron }) =>
  releaseBom(JSON.parse(wholeOutputOf('npm', ['sbom', '--sbom-format=cyclonedx'])), {
    seconds,
    electron,
    pages: importedIn(inProject('renderer')),
  });
