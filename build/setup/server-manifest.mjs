/** Never on a server: the app's own. */
const ONLY_APP = ['electron', 'electron-store', 'playwright-core'];

/**
 * The package.json of the headless host. Pure.
 * @param {{name: string, version: string, description: string, license: string, author: string,
 *   engines: object, dependencies: Record<string, string>}} whole of the project
 * @param {ReadonlySet<string>} loaded packages that the built files load
 */
export const serverManifest = (whole, loaded) => {
  const dependencies = Object.fromEntries(
    Object.entries(whole.dependencies).filter(
      ([name]) => loaded.has(name) && !ONLY_APP.includes(name),
    ),
  );
  const { name, version, description, license, author, engines } = whole;
  return {
    name,
    version,
    description: `${description}. The headless host and the command line.`,
    license,
    author,
    bin: { holdfast: 'bin/holdfast.cjs' },
    man: ['man/holdfast.1'],
    engines,
    os: ['linux', 'darwin'],
    files: ['bin', 'dist', 'man', 'holdfast.service', 'CHANGELOG.md'],
    dependencies,
  };
};
