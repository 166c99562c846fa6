/** The repositories that the agents of this computer work in, looked at once each. */
import type { Hasher } from '../../ports/blobs';
import type { MovedFiles } from '../../ports/moved-files';
import type { OfferedPlace } from './offers';
import { repositoryNeed } from './turn-files';

export interface Repositories {
  readonly files: MovedFiles;
  /** What this computer offers of them, as far as it has looked. */
  offersOf(places: readonly OfferedPlace[]): readonly string[];
}

export function createRepositories(deps: {
  readonly files: MovedFiles;
  readonly hasher: Hasher;
  readonly folderOf: (agent: string) => string | undefined;
  /** There is more to offer than was said before. */
  readonly onFound: () => void;
}): Repositories {
  const { files: made, hasher } = deps;
  const looked = new Map<string, { readonly folder: string | undefined; name?: string }>();

  const look = ({ agent, written }: OfferedPlace): { readonly name?: string } => {
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
