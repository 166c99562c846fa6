import { join } from 'node:path';
import { agentTitleIn } from '../../shared/agent-title';
import { parsedJson } from '../../shared/parsed-json';
import { readSettingsText } from '../disk/small-file';

/**
 * Display names of agents for the tables of the command line. They come from the settings file,
 * which exists whether Holdfast runs or not and costs no call. If the file cannot be read, the
 * names are shown as they are.
 */
export function agentTitles(dataDir: string): (name: string) => string {
  let titles: Readonly<Record<string, { readonly title?: string }>> | undefined;
  return (name) => agentTitleIn((titles ??= read(dataDir)), name);
}

function read(dataDir: string): Readonly<Record<string, { readonly title?: string }>> {
  const agents = fieldOf(parsedJson(readSettingsText(join(dataDir, 'config.json'))), 'agents');
  if (typeof agents !== 'object' || agents === null) return {};
  return Object.fromEntries(
    Object.entries(agents).flatMap(([name, agent]) => {
      const title = fieldOf(agent, 'title');
      return typeof title === 'string' && title.trim() !== '' ? [[name, { title }]] : [];
    }),
  );
}

const fieldOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
