/** The repositories that this computer's agents work in, each inspected once. */
import type { Hasher } from '../../ports/blobs';
import type { MovedFiles } from '../../ports/moved-files';
import type { OfferedPlace } from './offers';
import { repositoryNeed } from './turn-files';

export interface Repositories {
  readonly files: MovedFiles;
  /** What this computer offers, as far as repositories have been inspected. */
  offersOf(places: readonly OfferedPlace[]): readonly string[];
}

export function createRepositories(deps: {
  readonly files: MovedFiles;
  readonly hasher: Hasher;
  readonly folderOf: (agent: string) => string | undefined;
  /** There is more to offer than before. */
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
      () => undefined, // Without git there is no repository.
    );
    return place;
  };

  return {
    files: {
      ...made,
      async capture(folder) {
        const captured = await made.capture(folder);
        // The folder may have become a repository, or got another remote, since it was inspected.
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
