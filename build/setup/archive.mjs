/** What the packed archive may contain: the built app, its glyphs, its modules. */
const WANTED =
  /^[\\/](package\.json|build([\\/]tray([\\/].*)?|[\\/]icons([\\/]256x256\.png)?)?|dist([\\/](electron|renderer)([\\/].*)?)?|node_modules([\\/].*)?)$/;
const SOURCE = /\.(map|tsx?)$/;

/** True for a path of the archive that has its place there; sources and their maps have none. @param {string} file */
export const mayBePacked = (file) => WANTED.test(file) && !SOURCE.test(file);
