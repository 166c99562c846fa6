/** The repositories that the agents of this computer work in, looked at once each. */
import { createMovedFiles } from '../adapters/git-workspace';
import { repositoryNeed } from '../engine/sharing/turn-files';
import type { MovedFiles } from '../ports/moved-files';
import type { Core } from './core';

interface Place {
  readonly agent: string;
  /** As it is written in the settings. */
  readonly written: string;
}

export interface Repositories {
  readonly files: MovedFiles;
  /** What this computer offers of them, as far as it has looked. */
  offersOf(places: readonly Place[]): readonly string[];
}

export function createRepositories(
  core: Core,
  deps: {
    readonly folderOf: (agent: string) => string | undefined;
    /** There is more to offer than was said before. */
    readonly onFound: () => void;
  },
): Repositories {
  const { hasher, crashPoints, ownEnvironment: env } = core.world;
  const made = createMovedFiles({ dataDir: core.dataDir, env, crashPoints });
  const looked = new Map<string, { readonly folder: string | undefined; name?: string }>();

  const look = ({ agent, written }: Place): { readonly name?: string } => {
    const known = looked.get(written);
    if (known !== undefined) return known;
    const place: { readonly folder: string | undefined; name?: string } = {
      folder: deps.folderOf(agent),
    };
    looked.set(written, place);
    if (place.folder === undefined) return place;
    made.repositoryOf(place.folder).then(
      (name) => {
        if (name === undefined) return;
        place.name = name;
        deps.onFound();
      },
      () => undefined, // without git there is none
    );
    return place;
  };

  return {
    files: {
      ...made,
      async capture(folder) {
        const captured = await made.capture(folder);
        // It may have become one, or got another remote, since it was looked at.
        if (captured.kind === 'captured')
          for (const place of looked.values())
            if (place.folder === folder) place.name = captured.files.repository;
        return captured;
      },
    },
    offersOf: (places) =>
      places.flatMap((place) => {
        const { name } = look(place);
        return name === undefined ? [] : [repositoryNeed(hasher, place.agent, name)];
      }),
  };
}
