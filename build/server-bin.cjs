#!/usr/bin/env node
// The command of the npm package. Before Node.js 22.14 the shipped binary of better-sqlite3 would end
// the process without a word, unless it was compiled here.
const { existsSync } = require('node:fs');
const { dirname, join } = require('node:path');

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isOld = major < 22 || (major === 22 && minor < 14);
const folder = dirname(require.resolve('better-sqlite3/package.json'));
if (isOld && !existsSync(join(folder, 'build', 'Release', 'better_sqlite3.node'))) {
  process.stderr.write(
    `Holdfast needs Node.js 22.14 or newer; this is ${process.versions.node}. Or compile its database once:\n` +
      `  cd ${folder} && CXXFLAGS='-UNAPI_VERSION -DNAPI_EXPERIMENTAL -DNODE_API_EXPERIMENTAL_NOGC_ENV_OPT_OUT' npx node-gyp rebuild --release --force_build=1\n`,
  );
  process.exit(1);
}
require('../dist/node/holdfast.cjs');
